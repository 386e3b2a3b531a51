import { expect, type Page } from "@playwright/test";
import { MINUTE_MS } from "#lib/core/time.ts";
import { fixtures, signIn } from "./support/quick.ts";
import { appearancesFor, checkScreen, expectAccessible, setAppearance } from "./support/screens.ts";
import { secondApp } from "./support/second-app.ts";
import { test } from "./support/test.ts";

const SCREENS = [
  "/app",
  "/app/create-pin",
  "/app/generated-posts",
  "/app/board-manager",
  "/app/buy-credits",
  "/app/settings",
];

const app = secondApp({});

const banner = (page: Page) => page.getByRole("status").filter({ hasText: "Please reconnect" });
const reconnectButton = (page: Page, username: string) =>
  banner(page).getByRole("button", { name: `Reconnect ${username}`, exact: true });

const openScreen = async (page: Page, path: string): Promise<void> => {
  await page.goto(`${app().baseUrl}${path}`);
  await expect(page.locator("[inert]")).toHaveCount(0);
};

/** Inserts two drafts of an account whose tokens Pinterest has revoked. */
const arrange = async (page: Page) => {
  const { who, token } = await signIn(page, app());
  const account = await fixtures(app()).account(who);
  const drafts = await fixtures(app()).pins(account, [{ title: "Evergreen cabins" }, { title: "Moss gardens" }]);
  const headers = { authorization: `Bearer ${token}` };
  const calls = `${app().baseUrl}/api/users/pinterest`;
  const posts = async (status: string): Promise<{ id: string }[]> => {
    const answer = await page.request.get(`${calls}/generated-pins/${account.id}/?status=${status}`, { headers });
    return (await answer.json()).posts;
  };
  const schedule = (ids: string[], minutes: number, start?: string) =>
    page.request.post(`${calls}/batch-publish-pins/`, {
      headers,
      data: { post_ids: ids, interval_minutes: minutes, ...(start && { start }) },
    });
  await page.request.post(`${app().pinterestUrl}/__control/accounts/${account.username}/revoke`);
  return { username: account.username, posts, drafts, schedule };
};

test("R-SRV-05 every screen shows a disconnected account with its waiting pins; reconnecting publishes them", {
  tag: "@screens",
}, async ({ page }) => {
  test.setTimeout(300_000);
  const { username, posts, drafts, schedule } = await arrange(page);
  await openScreen(page, "/app/generated-posts");
  await expect(banner(page)).toHaveCount(0);
  // The first run detects the revoked tokens, and the open screen shows the banner.
  await schedule(drafts.slice(0, 1), 60);
  await expect(banner(page)).toContainText(`reconnect ${username} to Pinterest. 1 scheduled pin is on hold.`, {
    timeout: 60_000,
  });
  await schedule(drafts.slice(1), 60, new Date(Date.now() + 30 * 86_400_000).toISOString());
  await expect(banner(page)).toContainText("2 scheduled pins are on hold.", { timeout: 30_000 });
  // A pin that is due much later also shows that it is on hold.
  const waits = page.getByText("On hold. Reconnect this Pinterest account to publish the pin on time.");
  await expect(waits).toBeVisible();
  await checkScreen(page, "reconnect-wall");
  for (const path of SCREENS) {
    await openScreen(page, path);
    await expect(reconnectButton(page, username)).toBeVisible();
  }
  for (const { width, theme } of appearancesFor("reconnect")) {
    await setAppearance(page, width, theme);
    await openScreen(page, "/app");
    await expect(reconnectButton(page, username)).toBeVisible();
    await checkScreen(page, `reconnect-${width}-${theme}`);
  }
  await expectAccessible(page, "the banner");
  expect(await posts("published")).toEqual([]);

  await openScreen(page, "/app/settings");
  await reconnectButton(page, username).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("radio", { name: new RegExp(username) }).check();
  await page.getByRole("button", { name: "Give access" }).click();
  await page.waitForURL(/\/app\/$/, { waitUntil: "commit" });
  await expect(page.getByTestId("notice")).toContainText("Pinterest account connected successfully!");
  await expect(banner(page)).toHaveCount(0);
  // A job publishes due pins once a minute; pins that are not due are no longer on hold.
  await app().moveClock(MINUTE_MS);
  await expect.poll(async () => (await posts("published")).length, { timeout: 60_000 }).toBe(1);
  await openScreen(page, "/app/generated-posts");
  await expect(page.locator("[data-slot=pin-card]", { hasText: "Scheduled" })).toHaveCount(1);
  await expect(waits).toHaveCount(0);
});
