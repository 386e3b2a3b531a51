import { expect, type Page } from "@playwright/test";
import { addMinutes, addMs, DAY_MS } from "#lib/core/time.ts";
import { instantOf, localTimeOf } from "#lib/core/zoned-time.ts";
import { insertDrafts, makeDrafts } from "#tests/e2e/support/drafts.ts";
import { connectQuickly, signIn } from "#tests/e2e/support/quick.ts";
import { appearancesFor, checkScreen, setAppearance, takeScreenshot, WIDTHS } from "#tests/e2e/support/screens.ts";
import { test } from "#tests/e2e/support/test.ts";

// Each test has its own user; one after another, they would keep a single worker busy at the end of a run.
test.describe.configure({ mode: "parallel" });

const ZONE = "Asia/Kathmandu";
const BATCH = "/api/users/pinterest/batch-publish-pins/";
const bar = (page: Page) => page.getByRole("region", { name: "Schedule the selected pins" });
const times = (page: Page) => page.getByRole("region", { name: "Publishing times for the selected pins" });
const slots = (page: Page) => times(page).locator("ol > li");
const note = (page: Page) => bar(page).getByRole("status");

interface Creator {
  token: string;
  accountId: string;
}

const insertCreator = async (page: Page): Promise<Creator> => {
  const { token } = await signIn(page);
  return { token, accountId: (await connectQuickly(page, token)).id };
};

/** Creates drafts with these titles and selects them in this order. */
const select = async (page: Page, creator: Creator, titles: readonly string[], url?: string) => {
  await makeDrafts(page, { ...creator, ...(url !== undefined && { url }) }, titles);
  await page.goto("/app/generated-posts?status=draft");
  for (const title of titles) await page.getByRole("checkbox", { name: `Select ${title}`, exact: true }).check();
};

const pinsOf = async (page: Page, { token, accountId }: Creator) => {
  const answer = await page.request.get(`/api/users/pinterest/generated-pins/${accountId}/`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return ((await answer.json()) as { posts: { id: string; title: string; scheduled_at: string | null }[] }).posts;
};

/** A pin of the account that is already scheduled. */
const scheduleElsewhere = async (page: Page, creator: Creator, title: string, at: Date) => {
  await insertDrafts(creator, [title]);
  const post_ids = (await pinsOf(page, creator)).filter((post) => post.title === title).map(({ id }) => id);
  const answer = await page.request.post(BATCH, {
    headers: { authorization: `Bearer ${creator.token}` },
    data: { post_ids, interval_minutes: 60, start: at.toISOString() },
  });
  expect(answer.ok()).toBe(true);
};

const fillStart = async (page: Page, { date, time }: { date: string; time: string }) => {
  await bar(page).getByLabel("Start date").fill(date);
  await bar(page).getByLabel("Start time").fill(time);
};

/** Ten o'clock local time, the day after tomorrow. */
const tenOclock = (zone = ZONE): Date => {
  const { date } = localTimeOf(addMs(new Date(), 2 * DAY_MS), zone);
  return instantOf({ date, time: "10:00" }, zone)?.at ?? new Date(0);
};

test("R-SCH-01 the full bar fits at three widths in both themes, and long lists scroll", {
  tag: "@screens",
}, async ({ page }) => {
  test.setTimeout(240_000);
  const creator = await insertCreator(page);
  const start = tenOclock();
  await scheduleElsewhere(page, creator, "A pin that is there already", addMinutes(start, 3));
  const titles = Array.from(
    { length: 12 },
    (_, n) => `Pin ${n} of a long list with a rather long title about kitchens`,
  );
  await select(
    page,
    creator,
    [...titles, "Pin 3 of a long list with a rather long title about kitchens!"],
    "https://127.0.0.1/",
  );
  await bar(page).getByRole("radio", { name: "Later" }).check();
  await fillStart(page, localTimeOf(start, ZONE));
  await page.getByRole("button", { name: "Show all times" }).click();
  await expect(note(page)).toContainText(/1 within five minutes of another pin · \d+ nearly identical to another pin/);
  for (const { width, theme } of appearancesFor("schedule")) {
    await setAppearance(page, width, theme);
    const box = await bar(page).boundingBox();
    expect(box?.height, `${width} ${theme}`).toBeLessThan(640);
    await checkScreen(page, `schedule-${width}-${theme}`);
    await takeScreenshot(page, `schedule-view-${width}-${theme}`);
  }
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 720 });
    const [box, list] = [await bar(page).boundingBox(), await times(page).boundingBox()];
    expect(box?.height, `${width} on a low screen`).toBeLessThan(0.8 * 720);
    expect((list?.y ?? 720) + (list?.height ?? 0), `${width} on a low screen`).toBeLessThan(720);
  }
  await times(page).focus();
  await page.keyboard.press("End");
  await expect(slots(page).last()).toBeInViewport();
});
