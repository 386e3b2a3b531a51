import { expect, type Page } from "@playwright/test";
import { sql } from "drizzle-orm";
import postgres from "postgres";
import { openDatabase } from "#db/client.ts";
import { healthMinutes } from "#db/schema/health.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { whileImagesWait } from "./support/hold-images.ts";
import { fixtures, pasteLines, signIn } from "./support/quick.ts";
import { appearancesFor, checkScreen, expectAccessible, setAppearance } from "./support/screens.ts";
import { secondApp } from "./support/second-app.ts";
import { test } from "./support/test.ts";

// Each of these tests changes what all users of an app share, so they have one of their own.
const app = secondApp({});

test("R-GEN-04, A-39 the status page shows the current status and the uptime measured from recorded minutes", {
  tag: "@screens",
}, async ({ page }) => {
  // Before anything else opens the status page, which is cached for half a minute.
  const { db, close } = openDatabase(app().databaseUrl, 1);
  try {
    // Two hours of minutes without five of them an hour ago, plus ten future ones to cover the test's duration.
    const [row] = await db.execute<{ ms: number }>(sql`select extract(epoch from now())::float8 * 1000 as ms`);
    const now = Math.floor(Number(row?.ms) / MINUTE_MS);
    const ago = (minutes: number) => new Date((now - minutes) * MINUTE_MS);
    const minutes = Array.from({ length: 135 }, (_, n) => n - 10).filter((n) => n < 60 || n > 64);
    await db.delete(healthMinutes);
    await db
      .insert(healthMinutes)
      .values(minutes.map((n) => ({ minute: ago(n) })))
      .onConflictDoNothing();
    await page.goto(`${app().baseUrl}/status`);
    await expect(page.getByRole("listitem").getByText("5 minutes", { exact: true })).toHaveCount(1);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Evertack is up");
    await expect(page.getByText("Working", { exact: true })).toHaveCount(3);
    await expect(page.getByText("Our goal is 99.9% uptime")).toBeVisible();
    const day = page.getByRole("term").filter({ hasText: "Last 24 hours" }).locator("xpath=..");
    await expect(day).toContainText(/9[56](\.\d+)?%/);
    await expect(day).toContainText("measured so far");

    for (const { width, theme } of appearancesFor("status")) {
      await setAppearance(page, width, theme);
      await page.goto(`${app().baseUrl}/status`);
      await checkScreen(page, `status-${width}-${theme}`);
    }
    await page.getByText("Day by day").click();
    await expect(page.locator("figure details").getByRole("listitem").first()).toContainText("%");
  } finally {
    await close();
  }
});

test("R-SRV-01 a running generation resumes after a reload and is canceled by keyboard: waiting pins are returned, the rest is finished", async ({
  page,
}) => {
  const { who } = await signIn(page, app());
  await fixtures(app()).account(who);
  await fixtures(app()).credits(who, 15);
  await page.goto(`${app().baseUrl}/app/evertack-creator`);
  await expect(page.locator("[inert]")).toHaveCount(0);
  await page.getByLabel("Board", { exact: true }).selectOption({ index: 1 });
  await page.getByLabel("Keyword 1", { exact: true }).click();
  await pasteLines(
    page,
    Array.from({ length: 20 }, (_, n) => `cosy corner ${n}`),
  );
  const button = page.getByRole("button", { name: "Cancel batch" });
  const dialog = page.getByRole("dialog", { name: "Cancel this batch?" });
  let canceled = 0;
  await whileImagesWait(app().databaseUrl, async () => {
    await page.getByRole("button", { name: "Generate Content" }).click();
    await expect(page.getByText("of 20 finished")).toBeVisible();
    await page.reload();
    await expect(page.locator("[inert]")).toHaveCount(0);
    await expect(page.getByText("of 20 finished")).toBeVisible();
    await button.focus();
    await page.keyboard.press("Enter");
    await expect(dialog).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await expect(button).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(dialog.getByRole("button", { name: "Keep going" })).toBeFocused();
    await setAppearance(page, 390, "light");
    await checkScreen(page, "cancel-generation-390");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect(dialog).toBeHidden();
    const toast = page.getByText(/^(\d+) pins? w(as|ere) canceled\. (Its|Their) credits were returned\.$/).first();
    await expect(toast).toBeVisible();
    canceled = Number.parseInt((await toast.textContent()) ?? "", 10);
    await expect(button).toBeHidden();
    await expect(page.getByRole("heading", { name: "Progress" })).toBeFocused();
  });
  expect(canceled).toBeGreaterThan(0);
  await expect(page.getByText("Pin generation complete!")).toBeVisible({ timeout: 90_000 });
  await expect(page.getByText(/failed to generate/)).toHaveCount(0);
  await setAppearance(page, 1440, "light");
  await expect(page.locator("[data-slot=credit-number]").first()).toHaveText(String(canceled));
  await page.goto(`${app().baseUrl}/app/generated-posts`);
  await expect(page.getByText(/cosy corner/i).first()).toBeVisible();
});

const PATHS = [
  "/app",
  "/app/create-pin",
  "/app/generated-posts",
  "/app/board-manager",
  "/app/buy-credits",
  "/app/settings",
];

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
  for (const path of PATHS) {
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

test("while the database is down, a failed screen shows the error page, and Try again recovers it", {
  tag: "@screens",
}, async ({ page }) => {
  await signIn(page, app());
  const users = postgres(app().databaseUrl, { max: 1, onnotice: () => {} });
  try {
    await users`alter table users rename to users_away`;
    for (const { width, theme } of appearancesFor("failed")) {
      await setAppearance(page, width, theme);
      const answer = await page.goto(`${app().baseUrl}/app`);
      expect(answer?.status()).toBe(500);
      await expect(page.getByRole("heading", { name: "Something went wrong" })).toBeVisible();
      await expect(page.getByText(/^Reference \d+/)).toBeVisible();
      await checkScreen(page, `failed-${width}-${theme}`);
    }
  } finally {
    await users`alter table if exists users_away rename to users`;
    await users.end();
  }
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("heading", { name: "Pinterest Accounts" })).toBeVisible({ timeout: 30_000 });
});
