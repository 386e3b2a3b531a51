import { expect, type Locator, type Page } from "@playwright/test";
import { slotTime } from "#components/publishing/slot-notes.ts";
import { addMinutes, addMs, DAY_MS } from "#lib/core/time.ts";
import { instantOf, localTimeOf } from "#lib/core/zoned-time.ts";
import { insertDrafts } from "./support/drafts.ts";
import { connectQuickly, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const ZONE = "Asia/Kathmandu";
const BATCH = "/api/users/pinterest/batch-publish-pins/";
const bar = (page: Page) => page.getByRole("region", { name: "Schedule the selected pins" });
const times = (page: Page) => page.getByRole("region", { name: "Publishing times for the selected pins" });
const slots = (page: Page) => times(page).locator("ol > li");
const go = (page: Page): Locator => bar(page).getByRole("button", { name: /^Schedule \d+ pins?$/ });

interface Creator {
  token: string;
  accountId: string;
}

const insertCreator = async (page: Page): Promise<Creator> => {
  const { token } = await signIn(page);
  return { token, accountId: (await connectQuickly(page, token)).id };
};

/** Creates drafts with these titles and selects them in this order. */
const select = async (page: Page, creator: Creator, titles: readonly string[]) => {
  await insertDrafts(creator, titles);
  await page.goto("/app/generated-posts?status=draft");
  for (const title of titles) await page.getByRole("checkbox", { name: `Select ${title}`, exact: true }).check();
};

const pinsOf = async (page: Page, { token, accountId }: Creator) => {
  const answer = await page.request.get(`/api/users/pinterest/generated-pins/${accountId}/`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return ((await answer.json()) as { posts: { id: string; title: string; scheduled_at: string | null }[] }).posts;
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

test("R-SCH-06, R-SCH-09, A-34, A-35 a later start in the shown time zone, with every pin's time before anything is scheduled", async ({
  page,
}) => {
  const creator = await insertCreator(page);
  await select(page, creator, ["One", "Two", "Three"]);
  await page.getByRole("button", { name: "Show all times" }).press("Enter");
  await expect(slots(page).first()).toContainText("Now");
  await bar(page).getByRole("radio", { name: "Later" }).check();
  // Browsers spell this zone differently.
  await expect(bar(page).getByText(/Asia\/Kath?mandu/)).toContainText("(GMT+5:45)");
  const start = tenOclock();
  await fillStart(page, localTimeOf(start, ZONE));
  await page.getByLabel("Interval in minutes").fill("90");
  const due = [0, 90, 180].map((minutes) => addMinutes(start, minutes));
  for (const [k, title] of ["One", "Two", "Three"].entries()) {
    await expect(slots(page).nth(k)).toContainText(title);
    await expect(slots(page).nth(k)).toContainText(slotTime(due[k] ?? start, new Date(), ZONE));
  }
  const [request] = await Promise.all([page.waitForRequest(`**${BATCH}`), go(page).click()]);
  expect(request.postDataJSON()).toMatchObject({ interval_minutes: 90, start: start.toISOString() });
  await expect(bar(page)).toBeHidden();
  const scheduled = new Map((await pinsOf(page, creator)).map((post) => [post.title, post.scheduled_at]));
  expect(["One", "Two", "Three"].map((title) => scheduled.get(title))).toEqual(due.map((at) => at.toISOString()));
});
