import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { slotTime } from "#components/publishing/slot-notes.ts";
import { addMinutes, addMs, DAY_MS, HOUR_MS } from "#lib/core/time.ts";
import { momentOf, wallTimeOf } from "#lib/core/zoned-time.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";
import { TEXTS } from "#lib/features/publishing/constants.ts";
import type { PreviewWire } from "#lib/features/publishing/schema.ts";
import { type Answers, heldAnswer, unreachable } from "#tests/support/component/calls.ts";
import { done, draftsOf, freeOf, openPosts, SCHEDULE } from "#tests/support/component/posts.tsx";
import { PICTURE } from "#tests/support/component/wires.ts";

const ZONE = "Asia/Kathmandu";
const PREVIEW = "ACTION previewScheduleAction";
const scheduled = { [SCHEDULE]: { last_publish: "2026-12-01T10:00:00Z" } };

const open = async (titles: readonly string[], answers: Answers = {}, timeZone = ZONE) => {
  const posts = draftsOf(...titles);
  const shown = await openPosts(posts, { answers: { ...scheduled, ...answers }, timeZone });
  const { screen, bar } = shown;
  return {
    ...shown,
    posts,
    later: () => bar.getByRole("radio", { name: "Later" }).click(),
    fillStart: async ({ date, time }: { date: string; time: string }) => {
      await bar.getByLabelText("Start date").fill(date);
      await bar.getByLabelText("Start time").fill(time);
    },
    go: bar.getByRole("button", { name: /^Schedule \d+ pins?$/ }),
    note: bar.getByRole("status"),
    times: screen.getByRole("region", { name: "Times of the selected pins" }),
    slots: () => [...screen.container.querySelectorAll("[data-slot=slots] > ol > li")].map((one) => one.textContent),
  };
};

const tenOclock = (): Date => {
  const { date } = wallTimeOf(addMs(new Date(), 2 * DAY_MS), ZONE);
  return momentOf({ date, time: "10:00" }, ZONE)?.at ?? new Date(0);
};

test("R-SCH-06, A-34 a start that has passed, lies too far or is none says so, and cannot be scheduled", async () => {
  const { bar, pick, later, fillStart, go } = await open(["One"]);
  await pick("One").click();
  await later();
  await expect.element(go).toBeEnabled();
  const refused = [
    [wallTimeOf(addMs(new Date(), -HOUR_MS), ZONE), TEXTS.timePassed],
    [wallTimeOf(addMs(new Date(), 367 * DAY_MS), ZONE), TEXTS.startTooFar],
    [{ date: "", time: "10:00" }, TEXTS.startMissing],
  ] as const;
  for (const [wall, text] of refused) {
    await fillStart(wall);
    await expect.element(bar.getByRole("alert")).toHaveTextContent(text);
    await expect.element(go).toBeDisabled();
  }
  await bar.getByRole("radio", { name: "At once" }).click();
  await expect.element(bar.getByRole("alert")).not.toBeInTheDocument();
  await expect.element(go).toBeEnabled();
});

test("A-34 a time that does not come is refused, and of one that comes twice the first is meant", async () => {
  const zone = "America/New_York";
  // From noon to noon in UTC: an hour before midnight there, a day later is the day after the one of 23 hours.
  const noon = new Date(new Date().setUTCHours(12, 0, 0, 0));
  const days = Array.from({ length: 363 }, (_, n) => wallTimeOf(addMs(noon, (n + 1) * DAY_MS), zone).date);
  const nextDay = (time: string, kind: "skipped" | "twice"): string =>
    days.find((date) => momentOf({ date, time }, zone)?.clock === kind) ?? "";
  const { screen, calls, bar, pick, later, fillStart, go } = await open(["One"], {}, zone);
  await pick("One").click();
  await later();
  await fillStart({ date: nextDay("02:30", "skipped"), time: "02:30" });
  await expect.element(bar.getByRole("alert")).toHaveTextContent(TEXTS.startSkipped);
  await expect.element(go).toBeDisabled();
  const twice = { date: nextDay("01:30", "twice"), time: "01:30" };
  await fillStart(twice);
  await expect.element(bar.getByText(TEXTS.startTwice)).toBeVisible();
  await expect
    .poll(() => screen.container.querySelector("[data-slot=schedule-zone]")?.textContent)
    .toContain(`${zone} (GMT-4)`);
  await go.click();
  await expect
    .poll(() => calls.to(SCHEDULE)[0]?.body)
    .toMatchObject({ start: momentOf(twice, zone)?.at.toISOString() });
});

test("R-SCH-01 one press starts after what is too close, and the focus goes to the time that it chose", async () => {
  const start = tenOclock();
  const free = addMinutes(start, 8);
  const clash = { title: "Already there", scheduled_at: addMinutes(start, 3).toISOString() };
  const { calls, bar, pick, later, fillStart, go, note, slots, button } = await open(["One", "Two"], {
    [PREVIEW]: (call: Parameters<typeof freeOf>[0]) => {
      const { value } = freeOf(call);
      const [{ start: asked }] = call.body as [{ start: string | null }];
      if (asked !== start.toISOString()) return done(value);
      const slots = value.slots.map((slot, at) => (at === 0 ? { ...slot, clash } : slot));
      return done({ ...value, slots, free_start: free.toISOString() } satisfies PreviewWire);
    },
  });
  for (const title of ["One", "Two"]) await pick(title).click();
  await later();
  await fillStart(wallTimeOf(start, ZONE));
  await expect.element(note).toMatchTextContent("1 within five minutes of another pin");
  await button("Times").click();
  expect(slots()[0]).toContain("Within five minutes of “Already there”");
  expect(slots()[1]).not.toContain("Within five minutes");
  await bar.getByRole("button", { name: `Start ${slotTime(free, new Date(), ZONE)} instead` }).click();
  await expect.element(bar.getByLabelText("Start time")).toHaveFocus();
  await expect.element(bar.getByLabelText("Start time")).toHaveValue("10:08");
  await expect.poll(() => slots()[0]).not.toContain("Within five minutes");
  await go.click();
  await expect.poll(() => calls.to(SCHEDULE)[0]?.body).toMatchObject({ start: free.toISOString() });
});

test("R-SCH-01, R-SRV-08 what is nearly the same and links to check are told, lead to their pins, and hold nothing back", async () => {
  const { screen, posts, bar, pick, go, note, times, slots, notice, button } = await open(["Cosy kitchens", "COSY!"], {
    [PREVIEW]: (call: Parameters<typeof freeOf>[0]) => {
      const { value } = freeOf(call);
      const twin = { title: "Cosy kitchens", image_url: PICTURE, by: "title", status: "selected", at: null } as const;
      return done({ ...value, slots: value.slots.map((slot, at) => (at === 1 ? { ...slot, twin } : slot)) });
    },
  });
  posts[0] = { ...(posts[0] as PostWire), url: "https://127.0.0.1/", link_warning: "It leads into a private network." };
  await button("Refresh").click();
  await pick("Cosy kitchens").click();
  await pick("COSY!").click();
  await expect.element(note).toHaveTextContent("1 nearly the same · 1 with a link to check");
  expect(times.elements()).toEqual([]);
  await bar.getByRole("button", { name: /nearly the same/ }).click();
  await expect.element(times).toHaveFocus();
  await expect.element(button("Times")).toHaveAttribute("aria-expanded", "true");
  expect(slots()[0]).toContain("leads into a private network");
  expect(slots()[1]).toContain("nearly the same as “Cosy kitchens”, which you selected as well.");
  expect(screen.container.querySelectorAll("[data-slot=slot-twins] img").length).toBe(2);
  await go.click();
  await expect.element(notice).toMatchTextContent("Successfully scheduled 2 pins for publishing.");
});

test("R-SCH-01 what cannot be looked at is said, and can be scheduled all the same", async () => {
  const { screen, pick, go, note, notice } = await open(["One"], { [PREVIEW]: unreachable });
  await pick("One").click();
  await screen.getByLabelText("Interval in minutes").fill("30");
  await expect.element(note).toMatchTextContent("could not be reached");
  await go.click();
  await expect.element(notice).toMatchTextContent("Successfully scheduled 1 pins for publishing.");
});

test("R-SCH-06, A-34 a start that was chosen stays while the selection is cleared and made again", async () => {
  const { bar, posts, live, pick, later, go } = await open(["Cabin", "Ridge"]);
  const interval = bar.getByLabelText("Interval in minutes");
  await pick("Cabin").click();
  await later();
  const date = wallTimeOf(addMs(new Date(), 9 * DAY_MS), ZONE).date;
  await bar.getByLabelText("Start date").fill(date);
  await bar.getByLabelText("Start time").fill("07:35");
  await interval.fill("90");
  await bar.getByRole("button", { name: "Clear" }).click();
  await pick("Ridge").click();
  await expect.element(bar.getByLabelText("Start time")).toHaveValue("07:35");
  await expect.element(interval).toHaveValue(90);
  posts[1] = { ...(posts[1] as PostWire), status: "scheduled", scheduled_at: tenOclock().toISOString() };
  await go.click();
  live.send("post", posts[1]);
  await expect.element(bar).not.toBeInTheDocument();
  await pick("Cabin").click();
  await expect.element(bar.getByRole("radio", { name: "At once" })).toBeChecked();
  await expect.element(interval).toHaveValue(60);
});

test("R-POST-09, R-SCH-06 what is chosen while the answer to scheduling is on its way stays chosen", async () => {
  const held = heldAnswer();
  const { bar, posts, live, pick, go, notice } = await open(["Cabin", "Ridge"], { [SCHEDULE]: held.hold });
  await pick("Ridge").click();
  await go.click();
  posts[1] = { ...(posts[1] as PostWire), status: "scheduled", scheduled_at: tenOclock().toISOString() };
  live.send("post", posts[1]);
  // The stream tells of it before the answer comes.
  await expect.element(bar).not.toBeInTheDocument();
  await pick("Cabin").click();
  await held.answer({ last_publish: "2026-12-01T10:00:00Z" });
  await expect.element(notice).toMatchTextContent("Successfully scheduled 1 pins");
  await expect.element(bar.getByText("1 selected")).toBeVisible();
});

test("R-SCH-01 on a phone the bar is in view from the first choice on, and leaves the focus to the list", async () => {
  await page.viewport(390, 844);
  const { pick, tab, go, button } = await open(["Cabin", "Linen"]);
  await pick("Cabin").click();
  window.scrollTo(0, 0);
  await expect.poll(() => go.element().getBoundingClientRect().bottom).toBeLessThanOrEqual(844);
  button("Clear").element().focus();
  await userEvent.keyboard("{Enter}");
  await expect.element(tab("All")).toHaveFocus();
  await button("Undo").click();
  go.element().focus();
  await userEvent.keyboard("{Enter}");
  await expect.element(tab("All")).toHaveFocus();
});
