import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { slotTime } from "#components/publishing/slot-notes.ts";
import { addMinutes, addMs, DAY_MS, HOUR_MS } from "#lib/core/time.ts";
import { instantOf, localTimeOf } from "#lib/core/zoned-time.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import type { PacedPreviewWire } from "#lib/features/planning/schema.ts";
import { TEXTS } from "#lib/features/publishing/constants.ts";
import {
  type Answers,
  pendingResponse,
  type RecordedCall,
  SECTIONS,
  unreachable,
} from "#tests/support/component/calls.ts";
import { done, draftsOf, freeOf, openPins, SCHEDULE } from "#tests/support/component/pins.tsx";
import { IMAGE } from "#tests/support/component/wires.ts";

const ZONE = "Asia/Kathmandu";
const PREVIEW = "ACTION previewScheduleAction";
const scheduled = { [SCHEDULE]: { last_publish: "2026-12-01T10:00:00Z" } };

const open = async (titles: readonly string[], answers: Answers = {}, timeZone = ZONE) => {
  const pins = draftsOf(...titles);
  const shown = await openPins(pins, { answers: { ...scheduled, ...answers }, timeZone });
  const { screen, bar } = shown;
  return {
    ...shown,
    pins,
    later: () => bar.getByRole("radio", { name: "Later" }).click(),
    fillStart: async ({ date, time }: { date: string; time: string }) => {
      await bar.getByLabelText("Start date").fill(date);
      await bar.getByLabelText("Start time").fill(time);
    },
    go: bar.getByRole("button", { name: /^Schedule \d+ pins?$/ }),
    note: bar.getByRole("status"),
    times: screen.getByRole("region", { name: "Publishing times for the selected pins" }),
    slots: () => [...screen.container.querySelectorAll("[data-slot=slots] > ol > li")].map((one) => one.textContent),
  };
};

const tenOclock = (): Date => {
  const { date } = localTimeOf(addMs(new Date(), 2 * DAY_MS), ZONE);
  return instantOf({ date, time: "10:00" }, ZONE)?.at ?? new Date(0);
};

test("R-SCH-06, A-34 a past, too distant, or missing start shows an error and cannot be scheduled", async () => {
  const { bar, pick, later, fillStart, go } = await open(["One"]);
  await pick("One").click();
  await later();
  await expect.element(go).toBeEnabled();
  const refused = [
    [localTimeOf(addMs(new Date(), -HOUR_MS), ZONE), TEXTS.timePassed],
    [localTimeOf(addMs(new Date(), 367 * DAY_MS), ZONE), TEXTS.startTooFar],
    [{ date: "", time: "10:00" }, TEXTS.startMissing],
  ] as const;
  for (const [localTime, text] of refused) {
    await fillStart(localTime);
    await expect.element(bar.getByRole("alert")).toHaveTextContent(text);
    await expect.element(go).toBeDisabled();
  }
  await bar.getByRole("radio", { name: "Now" }).click();
  await expect.element(bar.getByRole("alert")).not.toBeInTheDocument();
  await expect.element(go).toBeEnabled();
});

test("A-34 a skipped time is refused, and a repeated one means its first occurrence", async () => {
  const zone = "America/New_York";
  // The first 24 hours include a clock change, so the local day is 23 hours long.
  const noon = new Date(new Date().setUTCHours(12, 0, 0, 0));
  const days = Array.from({ length: 363 }, (_, n) => localTimeOf(addMs(noon, (n + 1) * DAY_MS), zone).date);
  const nextDay = (time: string, kind: "skipped" | "repeated"): string =>
    days.find((date) => instantOf({ date, time }, zone)?.clock === kind) ?? "";
  const { screen, calls, bar, pick, later, fillStart, go, slots, button } = await open(["One"], {}, zone);
  await pick("One").click();
  await later();
  await fillStart({ date: nextDay("02:30", "skipped"), time: "02:30" });
  await expect.element(bar.getByRole("alert")).toHaveTextContent(TEXTS.startSkipped);
  await expect.element(go).toBeDisabled();
  const repeated = { date: nextDay("01:30", "repeated"), time: "01:30" };
  await fillStart(repeated);
  await expect.element(bar.getByText(TEXTS.startRepeated)).toBeVisible();
  await expect
    .poll(() => screen.container.querySelector("[data-slot=schedule-zone]")?.textContent)
    .toContain(`${zone} (GMT-4)`);
  await button("Show all times").click();
  await expect.poll(() => slots()[0]).toContain("Clocks fall back that night: this is the first 1:30 AM.");
  await go.click();
  await expect
    .poll(() => calls.to(SCHEDULE)[0]?.body)
    .toMatchObject({ start: instantOf(repeated, zone)?.at.toISOString() });
});

test("R-SCH-01 one click starts after the clashing pins and moves the focus to the chosen time", async () => {
  const start = tenOclock();
  const free = addMinutes(start, 8);
  const clash = { title: "Already there", scheduled_at: addMinutes(start, 3).toISOString() };
  const { calls, bar, pick, later, fillStart, go, note, slots, button } = await open(["One", "Two"], {
    [PREVIEW]: (call: Parameters<typeof freeOf>[0]) => {
      const { value } = freeOf(call);
      const [{ start: requested }] = call.body as [{ start: string | null }];
      if (requested !== start.toISOString()) return done(value);
      const slots = value.slots.map((slot, at) => (at === 0 ? { ...slot, clash } : slot));
      return done({ ...value, slots, free_start: free.toISOString() } satisfies PacedPreviewWire);
    },
  });
  for (const title of ["One", "Two"]) await pick(title).click();
  await later();
  await fillStart(localTimeOf(start, ZONE));
  await expect.element(note).toMatchTextContent("1 within five minutes of another pin");
  await button("Show all times").click();
  expect(slots()[0]).toContain("Within five minutes of “Already there”");
  expect(slots()[1]).not.toContain("Within five minutes");
  await bar.getByRole("button", { name: `Start ${slotTime(free, new Date(), ZONE)} instead` }).click();
  await expect.element(bar.getByLabelText("Start time")).toHaveFocus();
  await expect.element(bar.getByLabelText("Start time")).toHaveValue("10:08");
  await expect.poll(() => slots()[0]).not.toContain("Within five minutes");
  await go.click();
  await expect.poll(() => calls.to(SCHEDULE)[0]?.body).toMatchObject({ start: free.toISOString() });
});

test("R-SRV-05 says when a plan reaches beyond the connection's end, and only then", async () => {
  let renewalDue: string | null = "2027-01-24T12:00:00.000Z";
  const { screen, pick, later, button } = await open(["One", "Two"], {
    [PREVIEW]: (call: Parameters<typeof freeOf>[0]) => done({ ...freeOf(call).value, renewal_due: renewalDue }),
  });
  const renewal = screen.getByText(/^Your Pinterest connection expires on Jan 24, 2027\./);
  await pick("One").click();
  await later();
  await expect.element(renewal).toBeVisible();
  renewalDue = null;
  await pick("Two").click();
  await later();
  await expect.element(renewal).not.toBeInTheDocument();
  await expect.element(button("Schedule 2 pins")).toBeEnabled();
});

test("R-SCH-01, R-SRV-08 warns about duplicates and links, leads to their pins, and still allows scheduling", async () => {
  const { screen, pins, bar, pick, go, note, times, slots, notice, button } = await open(["Cosy kitchens", "COSY!"], {
    [PREVIEW]: (call: Parameters<typeof freeOf>[0]) => {
      const { value } = freeOf(call);
      const duplicate = {
        title: "Cosy kitchens",
        image_url: IMAGE,
        by: "title",
        status: "selected",
        at: null,
      } as const;
      return done({ ...value, slots: value.slots.map((slot, at) => (at === 1 ? { ...slot, duplicate } : slot)) });
    },
  });
  pins[0] = { ...(pins[0] as PinWire), url: "https://127.0.0.1/", link_warning: "It leads into a private network." };
  await button("Refresh").click();
  await pick("Cosy kitchens").click();
  await pick("COSY!").click();
  await expect.element(note).toHaveTextContent("1 nearly identical to another pin · 1 with a link to check");
  expect(times.elements()).toEqual([]);
  await bar.getByRole("button", { name: /nearly identical/ }).click();
  await expect.element(times).toHaveFocus();
  await expect.element(button("Show all times")).toHaveAttribute("aria-expanded", "true");
  expect(slots()[0]).toContain("leads into a private network");
  expect(slots()[1]).toContain("nearly identical to “Cosy kitchens”, which you also selected.");
  expect(screen.container.querySelectorAll("[data-slot=slot-duplicates] img").length).toBe(2);
  await go.click();
  await expect.element(notice).toMatchTextContent("Successfully scheduled 2 pins for publishing.");
});

test("chooses a section for all selected pins of one board, and shows none when their boards differ", async () => {
  const { bar, pins, pick, calls } = await open(["One", "Two", "Three"], {
    [SECTIONS]: { items: [{ id: "7", name: "Fall" }] },
    "ACTION editDraftsAction": ({ body }: RecordedCall) => {
      const [{ pinIds }] = body as [{ pinIds: string[] }];
      for (const pin of pins) if (pinIds.includes(pin.id)) pin.board_section_id = "7";
      return done({ edited: pinIds.length, undo: null });
    },
  });
  const [, , third] = pins;
  if (third) third.board_id = "102";
  await pick("One").click();
  await pick("Two").click();
  const section = bar.getByLabelText("Section", { exact: true });
  await expect.element(section).toHaveValue("");
  await section.selectOptions("Fall");
  await expect.element(section).toHaveValue("7");
  expect(calls.to("ACTION editDraftsAction")[0]?.body).toMatchObject([
    { pinIds: ["pin_1", "pin_2"], change: { boardId: "101", boardSectionId: "7" } },
  ]);
  await pick("Three").click();
  await expect.element(section).not.toBeInTheDocument();
});

test("says when the selected pin's section was deleted on Pinterest", async () => {
  const { bar, pins, pick, button } = await open(["One"], { [SECTIONS]: { items: [] } });
  pins[0] = { ...(pins[0] as PinWire), board_section_id: "404" };
  await button("Refresh").click();
  await pick("One").click();
  const section = bar.getByLabelText("Section", { exact: true });
  await expect.element(section).toHaveDisplayValue("Deleted section");
});

test("R-SCH-01 without a preview it says so, and pins can still be scheduled", async () => {
  const { screen, pick, go, note, notice } = await open(["One"], { [PREVIEW]: unreachable });
  await pick("One").click();
  await screen.getByLabelText("Interval in minutes").fill("30");
  await expect.element(note).toMatchTextContent("couldn't reach the server");
  await go.click();
  await expect.element(notice).toMatchTextContent("Successfully scheduled 1 pins for publishing.");
});

test("R-SCH-06, A-34 keeps the chosen start while the selection is cleared and made again", async () => {
  const { bar, pins, live, pick, later, go } = await open(["Cabin", "Ridge"]);
  const interval = bar.getByLabelText("Interval in minutes");
  await pick("Cabin").click();
  await later();
  const date = localTimeOf(addMs(new Date(), 9 * DAY_MS), ZONE).date;
  await bar.getByLabelText("Start date").fill(date);
  await bar.getByLabelText("Start time").fill("07:35");
  await interval.fill("90");
  await bar.getByRole("button", { name: "Clear" }).click();
  await pick("Ridge").click();
  await expect.element(bar.getByLabelText("Start time")).toHaveValue("07:35");
  await expect.element(interval).toHaveValue(90);
  pins[1] = { ...(pins[1] as PinWire), status: "scheduled", scheduled_at: tenOclock().toISOString() };
  await go.click();
  live.send("post", pins[1]);
  await expect.element(bar).not.toBeInTheDocument();
  await pick("Cabin").click();
  await expect.element(bar.getByRole("radio", { name: "Now" })).toBeChecked();
  await expect.element(interval).toHaveValue(60);
});

test("R-POST-09, R-SCH-06 keeps what is selected while a scheduling request is pending", async () => {
  const held = pendingResponse();
  const { bar, pins, live, pick, go, notice } = await open(["Cabin", "Ridge"], { [SCHEDULE]: held.hold });
  await pick("Ridge").click();
  await go.click();
  pins[1] = { ...(pins[1] as PinWire), status: "scheduled", scheduled_at: tenOclock().toISOString() };
  live.send("post", pins[1]);
  // The live stream reports the change before the response arrives.
  await expect.element(bar).not.toBeInTheDocument();
  await pick("Cabin").click();
  await held.answer({ last_publish: "2026-12-01T10:00:00Z" });
  await expect.element(notice).toMatchTextContent("Successfully scheduled 1 pins");
  await expect.element(bar.getByText("1 selected")).toBeVisible();
});

test("R-SCH-01 on phones the bar is visible from the first selection on and leaves the focus in the list", async () => {
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

test("the choices of the bar keep their width on narrow phones", async () => {
  await page.viewport(360, 700);
  const { pick, bar } = await open(["Cabin", "Linen"]);
  await pick("Cabin").click();
  await expect.element(bar.getByRole("radio", { name: "Later" })).toBeVisible();
  const choices = [...bar.element().querySelectorAll("[data-slot=segment-option]")];
  expect(choices.map((one) => one.textContent)).toEqual(["Fixed interval", "Safe pace", "Now", "Later"]);
  for (const one of choices) expect(one.scrollWidth, one.textContent ?? "").toBeLessThanOrEqual(one.clientWidth);
});
