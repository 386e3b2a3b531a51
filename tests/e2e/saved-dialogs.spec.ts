import { expect, type Page } from "@playwright/test";
import { connect } from "./support/person.ts";
import { signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

/** Opens Saved Videos as a user with `count` videos and no account. */
const openSaved = async (page: Page, count = 1): Promise<void> => {
  const { token } = await signIn(page);
  const videos = Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    video_url: `https://www.tiktok.com/@moss/video/${7473000000000000001n + BigInt(at)}`,
    title: `${at + 1}. Slow linen #linen`,
    author: "moss",
    author_url: "https://www.tiktok.com/@moss",
    thumbnail_url: null,
    views_count: "1.2K",
    date_posted: "2025-03-09",
    hashtags: ["linen"],
  }));
  const answer = await page.request.post("/api/users/save_tiktok_videos/", {
    headers: { authorization: `Bearer ${token}` },
    data: { videos },
  });
  expect(answer.ok(), await answer.text()).toBe(true);
  await page.goto("/app/saved-videos");
  await expect(page.locator("[inert]")).toHaveCount(0, { timeout: 30_000 });
};

test("R-ROUTE-27 keywords chosen for pins survive connecting the first account and reach the creator", async ({
  page,
}) => {
  await openSaved(page);
  await page.getByRole("button", { name: /^Create pins from this/ }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("Connect a Pinterest account first");
  const start = dialog.getByRole("button", { name: "Connect Account" });
  await expect(start).toBeDisabled();
  const keywordCount = await dialog.getByRole("group", { name: "Keywords" }).getByRole("checkbox").count();
  expect(keywordCount).toBeGreaterThan(0);
  await dialog.getByRole("checkbox", { name: /right to use this idea/ }).check();
  await start.click();
  await expect(page.getByText(/^Connect an account to use your saved keywords/)).toBeVisible();
  await expect(page.getByRole("link", { name: "Use these keywords" })).toHaveCount(0);
  await connect(page, "juniper.studio");
  await expect(page.getByText(/^Your saved keywords are ready/)).toBeVisible();
  // A disconnected account cannot create pins.
  const accounts = "**/api/users/pinterest/accounts/";
  const known: unknown = await (await page.request.get("/api/users/pinterest/accounts/")).json();
  const lost = Array.isArray(known) && known.map((one: object) => ({ ...one, status: "reconnect_needed" }));
  await page.route(accounts, (route) => route.fulfill({ json: lost }));
  await page.reload();
  await expect(page.getByText(/^Connect an account to use your saved keywords/)).toBeVisible();
  await expect(page.getByRole("link", { name: "Use these keywords" })).toHaveCount(0);
  await page.unroute(accounts);
  await page.reload();
  await page.getByRole("link", { name: "Use these keywords" }).click();
  await page.waitForURL(/-creator\?keyword=/);
  await expect(page.getByRole("combobox", { name: /^Keyword \d+$/ })).toHaveCount(keywordCount);
  await page.goBack();
  await expect(page.getByRole("heading", { name: "juniper.studio" })).toBeVisible();
  await expect(page.getByText(/your saved keywords/i)).toHaveCount(0);
});
