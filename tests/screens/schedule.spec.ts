import { expect, type Page } from "@playwright/test";
import { addMinutes, addMs, DAY_MS } from "#lib/core/time.ts";
import { momentOf, wallTimeOf } from "#lib/core/zoned-time.ts";
import { insertDrafts, makeDrafts } from "#tests/e2e/support/drafts.ts";
import { dress, lookAt, looksFor, takePicture, WIDTHS } from "#tests/e2e/support/looks.ts";
import { connectQuickly, signIn } from "#tests/e2e/support/quick.ts";
import { test } from "#tests/e2e/support/test.ts";

const ZONE = "Asia/Kathmandu";
const BATCH = "/api/users/pinterest/batch-publish-pins/";
const bar = (page: Page) => page.getByRole("region", { name: "Schedule the selected pins" });
const times = (page: Page) => page.getByRole("region", { name: "Times of the selected pins" });
const slots = (page: Page) => times(page).locator("ol > li");
const note = (page: Page) => bar(page).getByRole("status");

interface Maker {
  token: string;
  accountId: string;
}

const makeMaker = async (page: Page): Promise<Maker> => {
  const { token } = await signIn(page);
  return { token, accountId: (await connectQuickly(page, token)).id };
};

/** Drafts with these titles, all of them selected in this order. */
const select = async (page: Page, maker: Maker, titles: readonly string[], url?: string) => {
  await makeDrafts(page, { ...maker, ...(url !== undefined && { url }) }, titles);
  await page.goto("/app/generated-posts?status=draft");
  for (const title of titles) await page.getByRole("checkbox", { name: `Select ${title}`, exact: true }).check();
};

const postsOf = async (page: Page, { token, accountId }: Maker) => {
  const answer = await page.request.get(`/api/users/pinterest/generated-pins/${accountId}/`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return ((await answer.json()) as { posts: { id: string; title: string; scheduled_at: string | null }[] }).posts;
};

/** A pin of the account that is scheduled already. */
const scheduleElsewhere = async (page: Page, maker: Maker, title: string, at: Date) => {
  await insertDrafts(maker, [title]);
  const post_ids = (await postsOf(page, maker)).filter((post) => post.title === title).map(({ id }) => id);
  const answer = await page.request.post(BATCH, {
    headers: { authorization: `Bearer ${maker.token}` },
    data: { post_ids, interval_minutes: 60, start: at.toISOString() },
  });
  expect(answer.ok()).toBe(true);
};

const fillStart = async (page: Page, { date, time }: { date: string; time: string }) => {
  await bar(page).getByLabel("Start date").fill(date);
  await bar(page).getByLabel("Start time").fill(time);
};

/** Ten o'clock on the day after tomorrow, on a clock of the zone. */
const tenOclock = (zone = ZONE): Date => {
  const { date } = wallTimeOf(addMs(new Date(), 2 * DAY_MS), zone);
  return momentOf({ date, time: "10:00" }, zone)?.at ?? new Date(0);
};

test("R-SCH-01 the bar with all of it fits at three widths in both themes, and long lists scroll", {
  tag: "@screens",
}, async ({ page }) => {
  test.setTimeout(240_000);
  const maker = await makeMaker(page);
  const start = tenOclock();
  await scheduleElsewhere(page, maker, "A pin that is there already", addMinutes(start, 3));
  const titles = Array.from(
    { length: 12 },
    (_, n) => `Pin ${n} of a long list with a rather long title about kitchens`,
  );
  await select(
    page,
    maker,
    [...titles, "Pin 3 of a long list with a rather long title about kitchens!"],
    "https://127.0.0.1/",
  );
  await bar(page).getByRole("radio", { name: "Later" }).check();
  await fillStart(page, wallTimeOf(start, ZONE));
  await page.getByRole("button", { name: "Times" }).click();
  await expect(note(page)).toContainText(/1 within five minutes of another pin · \d+ nearly the same/);
  for (const { width, theme } of looksFor("schedule")) {
    await dress(page, width, theme);
    const box = await bar(page).boundingBox();
    expect(box?.height, `${width} ${theme}`).toBeLessThan(640);
    await lookAt(page, `schedule-${width}-${theme}`);
    await takePicture(page, `schedule-view-${width}-${theme}`);
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
