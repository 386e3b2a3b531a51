import { expect, test } from "vitest";
import { PaceSetting } from "#components/planning/pace-setting.tsx";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { localTimeOf } from "#lib/core/zoned-time.ts";
import { plannedPath } from "#lib/features/pins/constants.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";
import { type PaceRule, PRESETS } from "#lib/features/planning/constants.ts";
import type { PaceWire, PlanWire } from "#lib/features/planning/schema.ts";
import { type Answers, failWith, type RecordedCall } from "#tests/support/component/calls.ts";
import { done, draftsOf, freeOf, openPins } from "#tests/support/component/pins.tsx";
import { renderScreen } from "#tests/support/component/render.tsx";
import { paceWire } from "#tests/support/component/wires.ts";

const ZONE = "Asia/Kathmandu";
const PROPOSE = "ACTION proposePlanAction";
const APPLY = "ACTION applyPlanAction";
const SAVE = "ACTION savePaceAction";

type Request = { post_ids: string[]; left_out: PaceRule[]; chosen: { post_id: string; due_at: string }[] };

const requestOf = (call: RecordedCall): Request => (call.body as [Request])[0];

/** The second pin waits for quiet hours, unless they are left out or its time was chosen. */
const planOf = (call: RecordedCall) => {
  const { post_ids, left_out, chosen } = requestOf(call);
  const start = new Date(Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS);
  const slots = post_ids.map((post_id, n) => {
    const own = chosen.find((one) => one.post_id === post_id);
    const isMoved = n === 1 && !left_out.includes("quiet") && !own;
    const due_at = own?.due_at ?? addMs(start, (isMoved ? 9 : n) * HOUR_MS).toISOString();
    const moves = isMoved ? [{ rule: "quiet" as const, ms: 8 * HOUR_MS, limit: 0, other: null }] : [];
    return { post_id, due_at, moves, breaches: [] };
  });
  const numbers = PRESETS.steady;
  return done({
    ...{ planned_at: start.toISOString(), time_zone: ZONE, preset: "steady", numbers, slots, unplaced: [] },
    renewal_due: "2027-01-24T08:00:00.000Z",
  } satisfies PlanWire);
};

const open = async (answers: Answers = {}) => {
  const pins = draftsOf("One", "Two");
  const shown = await openPins(pins, {
    answers: { [PROPOSE]: planOf, [APPLY]: done({ last_publish: "2026-12-01T10:00:00Z" }), ...answers },
  });
  for (const title of ["One", "Two"]) await shown.pick(title).click();
  return {
    ...shown,
    slots: () =>
      [...shown.screen.container.querySelectorAll("[data-slot=slots] > ol > li")].map((one) => one.textContent),
    go: shown.bar.getByRole("button", { name: /^Schedule \d+ pins?$/ }),
  };
};

test("a safe pace shows its rules and what moved each pin, and schedules exactly the shown times", async () => {
  const { bar, calls, slots, go, button } = await open();
  await bar.getByRole("radio", { name: "Safe pace" }).click();
  await expect
    .element(bar.getByText(/up to 10 pins a day/))
    .toMatchTextContent(
      "Steady pace: up to 10 pins a day, at least 1 h apart, none from 11 PM to 6 AM (Asia/Kathmandu).",
    );
  await expect.element(bar.getByLabelText("Interval in minutes")).not.toBeInTheDocument();
  await expect.element(bar.getByText(/^Your Pinterest connection expires on Jan 24, 2027\./)).toBeVisible();
  await button("Show all times").click();
  await expect.poll(() => slots()[1]).toContain("Moved 8 h later: your quiet hours are from 11 PM to 6 AM.");
  expect(slots()[0]).not.toContain("Moved");
  await go.click();
  await expect.poll(() => calls.to(APPLY)).toHaveLength(1);
  const [shown] = calls.to(PROPOSE).slice(-1).map(planOf);
  expect(calls.to(APPLY)[0]?.body).toMatchObject([
    { slots: [{ post_id: "pin_1" }, { post_id: "pin_2" }], left_out: [], planned_at: expect.any(String) },
  ]);
  expect(shown?.value).toMatchObject({ slots: [{ post_id: "pin_1" }, { post_id: "pin_2" }] });
});

test("a rule is left out only with a reason, which is sent with the plan, and can be used again", async () => {
  const { bar, calls, go } = await open();
  await bar.getByRole("radio", { name: "Safe pace" }).click();
  await expect.element(bar.getByText("“Quiet hours” moved 1 pin")).toBeVisible();
  await bar.getByRole("button", { name: "Turn off “Quiet hours” for this schedule" }).click();
  await bar.getByRole("button", { name: "Turn off", exact: true }).click();
  await expect.element(bar.getByRole("alert")).toHaveTextContent("Enter a reason.");
  const reason = bar.getByLabelText(/^Why turn off “Quiet hours”/);
  await expect.element(reason).toHaveFocus();
  await reason.fill("New Year's Eve");
  await bar.getByRole("button", { name: "Turn off", exact: true }).click();
  await expect.element(bar.getByText("“Quiet hours” turned off: New Year's Eve")).toBeVisible();
  await expect.element(bar.getByRole("button", { name: "Use “Quiet hours” again" })).toHaveFocus();
  await expect.element(bar.getByText("“Quiet hours” moved 1 pin")).not.toBeInTheDocument();
  await expect.element(go).toBeEnabled();
  await go.click();
  await expect
    .poll(() => calls.to(APPLY)[0]?.body)
    .toMatchObject([{ left_out: [{ rule: "quiet", reason: "New Year's Eve" }] }]);
});

test("a pin's time can be changed, and the others are planned around it", async () => {
  const { bar, calls, slots, button } = await open();
  await bar.getByRole("radio", { name: "Safe pace" }).click();
  await button("Show all times").click();
  await button("Change the time of “Two”").click();
  const time = bar.getByRole("form", { name: "Time of “Two”" });
  // Today, this time may have passed.
  await time.getByLabelText("Date").fill(localTimeOf(addMs(new Date(), 2 * DAY_MS), ZONE).date);
  await time.getByLabelText("Time", { exact: true }).fill("11:45");
  await time.getByRole("button", { name: "Set time" }).click();
  await expect.poll(() => requestOf(calls.to(PROPOSE).slice(-1)[0] as RecordedCall).chosen).toHaveLength(1);
  await expect.poll(() => slots().join()).toContain("11:45 AM");
  await button("Use the planned time of “Two”").click();
  await expect.poll(() => slots().join()).toContain("Moved 8 h later");
});

test("a refused plan keeps the selection, says why, and is made again", async () => {
  const text = "Other pins were scheduled in the meantime. Check the new times.";
  const { bar, calls, go, notice } = await open({ [APPLY]: { ok: false, code: "wrong_state", text } });
  await bar.getByRole("radio", { name: "Safe pace" }).click();
  await expect.element(go).toBeEnabled();
  const before = calls.to(PROPOSE).length;
  await go.click();
  await expect.element(notice.getByText(text)).toBeVisible();
  await expect.poll(() => calls.to(PROPOSE).length).toBeGreaterThan(before);
  await expect.element(go).toHaveTextContent("Schedule 2 pins");
});

test("without a plan nothing can be scheduled, and the fixed interval still can", async () => {
  const { bar, go } = await open({ [PROPOSE]: { ok: false, code: "wrong_state", text: "Something changed." } });
  await bar.getByRole("radio", { name: "Safe pace" }).click();
  await expect.element(bar.getByText("Something changed.")).toBeVisible();
  await expect.element(go).toBeDisabled();
  await bar.getByRole("radio", { name: "Fixed interval" }).click();
  await expect.element(go).toBeEnabled();
});

test("copies of a pin continue into the safe pace, by the spacing that the dialog names", async () => {
  const [original, ...copies] = draftsOf("One", "One", "One") as [PinWire, ...PinWire[]];
  const pins = [original];
  const { screen, bar, calls, tools, pick } = await openPins(pins, {
    answers: {
      [PROPOSE]: planOf,
      "ACTION readPaceAction": done(paceWire({ numbers: { ...PRESETS.steady, linkDays: 9 } })),
      "ACTION duplicatePinsAction": () => {
        pins.push(...copies);
        return done({ ids: copies.map(({ id }) => id) });
      },
    },
  });
  await pick("One").click();
  await tools.getByRole("button", { name: "Duplicate" }).click();
  const dialog = screen.getByRole("dialog", { name: "Duplicate this pin" });
  await expect.element(dialog.getByText(/^At a safe pace, copies with the same link .* at least 9 days/)).toBeVisible();
  for (const board of ["Desserts", "Walks"]) await dialog.getByRole("checkbox", { name: board }).click();
  await dialog.getByRole("checkbox", { name: /^Next, schedule the copies at a safe pace/ }).click();
  await dialog.getByRole("button", { name: "Create 2 drafts" }).click();
  await expect.element(bar.getByRole("radio", { name: "Safe pace" })).toBeChecked();
  await expect.element(bar.getByText("2 selected")).toBeVisible();
  await expect.element(bar).toHaveFocus();
  await expect.poll(() => calls.to(PROPOSE).map((call) => requestOf(call).post_ids)).toEqual([["pin_2", "pin_3"]]);
});

test("another screen's copies are selected at the safe pace by the URL", async () => {
  const { bar, calls } = await openPins(draftsOf("One", "Two", "Three"), {
    query: plannedPath("account_1", ["pin_1", "pin_3"]).split("?")[1] ?? "",
    answers: { [PROPOSE]: planOf },
  });
  await expect.element(bar.getByText("2 selected")).toBeVisible();
  await expect.poll(() => calls.to(PROPOSE).map((call) => requestOf(call).post_ids)).toEqual([["pin_1", "pin_3"]]);
  expect(location.search).not.toContain("plan=");
});

test("proposed times of an assistant fill the bar, and wrong ones leave the safe pace", async () => {
  const start = new Date(Date.now() + 3 * 86_400_000).toISOString();
  const query = plannedPath("account_1", ["pin_1", "pin_2"], { start, intervalMinutes: 90 }).split("?")[1] ?? "";
  const proposed = await openPins(draftsOf("One", "Two"), { query, answers: { [PROPOSE]: planOf } });
  await expect.element(proposed.bar.getByText("2 selected")).toBeVisible();
  await expect.element(proposed.bar.getByRole("radio", { name: "Fixed interval" })).toBeChecked();
  await expect.element(proposed.bar.getByLabelText("Interval in minutes")).toHaveValue(90);
  const preview = () => proposed.calls.to("ACTION previewScheduleAction").map((call) => requestOf(call));
  await expect.poll(preview).toMatchObject([{ post_ids: ["pin_1", "pin_2"], interval_minutes: 90, start }]);
  expect(location.search).not.toMatch(/plan|start|every/);
});

test("the fixed interval only gets warnings where it is faster than the safe pace", async () => {
  const { bar, slots, button } = await open({
    "ACTION previewScheduleAction": (call: RecordedCall) => {
      const { value } = freeOf(call);
      const breaches = [
        { rule: "perDay" as const, limit: 1, other: null },
        { rule: "link" as const, limit: 7, other: { title: "One", at: value.start } },
      ];
      return done({ ...value, pace: [{ post_id: "pin_2", numbers: PRESETS.steady, breaches }] });
    },
  });
  await expect.element(bar.getByRole("status")).toMatchTextContent("1 not following your safe pace");
  await button("Show all times").click();
  await expect.poll(() => slots()[1]).toContain("Doesn't follow your safe pace: your limit is 1 pin a day.");
  expect(slots()[1]).toContain("“One” has the same link, and your pace keeps such pins 7 days apart.");
});

test("Settings: a preset fills the numbers, which can be changed, are checked, and say where they come from", async () => {
  const { screen, calls } = await renderScreen(<PaceSetting initial={[paceWire()]} />, {
    path: "/app/settings",
    answers: { [SAVE]: (call: RecordedCall) => done(paceWire((call.body as [{ numbers: PaceWire["numbers"] }])[0])) },
  });
  await expect
    .element(screen.getByText(/^Pinterest doesn't publish limits, so these follow common practice\./))
    .toBeVisible();
  const perDay = screen.getByLabelText("Maximum pins a day");
  await expect.element(perDay).toHaveValue(10);
  await screen.getByRole("radio", { name: "Gentle" }).click();
  await expect.element(perDay).toHaveValue(5);
  await perDay.fill("0");
  await expect.element(screen.getByRole("radio", { name: "Gentle" })).not.toBeChecked();
  await screen.getByRole("button", { name: "Save pace" }).click();
  await expect.element(screen.getByText("Enter a whole number from 1 to 100.")).toBeVisible();
  await expect.element(perDay).toHaveFocus();
  expect(calls.to(SAVE)).toEqual([]);
  await perDay.fill("6");
  await screen.getByRole("button", { name: "Save pace" }).click();
  await expect
    .poll(() => calls.to(SAVE)[0]?.body)
    .toEqual([{ accountId: "account_1", numbers: { ...PRESETS.gentle, perDay: 6 } }]);
});

test("Settings: each account has its own pace, and a failure is shown", async () => {
  const other = paceWire({ account_id: "account_2", username: "moss", preset: "brisk", numbers: PRESETS.brisk });
  const { screen } = await renderScreen(<PaceSetting initial={[paceWire(), other]} />, {
    path: "/app/settings",
    answers: { [SAVE]: failWith(500, { error: "no" }) },
  });
  await screen.getByLabelText("Pinterest account").selectOptions("moss");
  await expect.element(screen.getByRole("radio", { name: "Brisk" })).toBeChecked();
  await screen.getByRole("button", { name: "Save pace" }).click();
  await expect.element(screen.getByText(/Please try again/)).toBeVisible();
});
