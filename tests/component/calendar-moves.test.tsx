import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { instantOf, localTimeOf } from "#lib/core/zoned-time.ts";
import { addDays } from "#lib/features/calendar/policy.ts";
import { PRESETS } from "#lib/features/planning/constants.ts";
import { ACCOUNT, dayOf, pin, showCalendar } from "#tests/support/component/calendar.tsx";
import { failWith, pendingResponse, type RecordedCall } from "#tests/support/component/calls.ts";

type Screen = Awaited<ReturnType<typeof showCalendar>>["screen"];

const moveOneDay = async (screen: Screen, title: string, way: "later" | "earlier"): Promise<void> => {
  await screen.getByRole("button", { name: `Actions for ${title}` }).click();
  await screen.getByRole("menuitem", { name: `Move one day ${way}` }).click();
};

const moveLater = (screen: Screen, title: string): Promise<void> => moveOneDay(screen, title, "later");

/** The Undo buttons, the newest first; a stacked toast covers the older ones. */
const undoButtons = (): HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>("[data-slot=toast] button")].filter((one) => one.textContent === "Undo");

const at = (day: number): string => `2099-03-${day}T14:00:00.000Z`;

const refusal = () => failWith(429, { error: "Too many requests.", message: "Too many requests." })();

const answering = () => {
  const held = pendingResponse();
  return { ...held, answerMove: () => held.hold({ signal: null } as RecordedCall) };
};

test("a pin that is moved again before the first answer ends where it was put last; Undo steps back", async () => {
  const { answer, answerMove } = answering();
  const { screen, moves } = await showCalendar({ answerMove });
  await moveLater(screen, "Pin one");
  await moveLater(screen, "Pin one");
  await expect.poll(() => dayOf("Pin one")).toBe("2099-03-14");
  expect(moves.length).toBe(1);
  await answer(null);
  await expect.poll(() => moves.length).toBe(2);
  expect(dayOf("Pin one")).toBe("2099-03-14");
  await answer(null);
  await expect.element(screen.getByText("Pin moved to Sat, Mar 14, 10:00 AM")).toBeVisible();
  expect(moves).toEqual([
    [{ post_id: "one", from: at(12), to: at(13) }],
    [{ post_id: "one", from: at(13), to: at(14) }],
  ]);
  undoButtons()[0]?.click();
  await answer(null);
  await expect.poll(() => dayOf("Pin one")).toBe("2099-03-13");
  await expect.poll(() => undoButtons().length).toBe(1);
  undoButtons()[0]?.click();
  await answer(null);
  await expect.poll(() => dayOf("Pin one")).toBe("2099-03-12");
  expect(moves.slice(2)).toEqual([
    [{ post_id: "one", from: at(14), to: at(13) }],
    [{ post_id: "one", from: at(13), to: at(12) }],
  ]);
});

test("a pin's menu opens by keyboard, and by a press without a mouse, and gives the focus back", async () => {
  const { screen } = await showCalendar();
  const focused = () => document.activeElement?.textContent;
  document.querySelector<HTMLElement>("[data-pin-id=two]")?.focus();
  await userEvent.keyboard("{Tab}{Enter}");
  await expect.poll(focused).toBe("Open");
  await userEvent.keyboard("{Escape}");
  await expect.element(screen.getByRole("button", { name: "Actions for Pin two" })).toHaveFocus();
  // As screen readers and fingers do: a click without moves of a mouse before it.
  (screen.getByRole("button", { name: "Actions for Pin one" }).element() as HTMLElement).click();
  await expect.element(screen.getByRole("menu", { name: "Actions for Pin one" })).toBeVisible();
  await userEvent.keyboard("{ArrowDown}");
  await expect.poll(focused).toBe("Open");
  await userEvent.keyboard("{Escape}");
  await expect.element(screen.getByRole("button", { name: "Actions for Pin one" })).toHaveFocus();
});

test("a press on a pin's menu that nothing announced is not lost", async () => {
  const { screen } = await showCalendar();
  const button = screen.getByRole("button", { name: "Actions for Pin one" });
  // The parts of a tap: there is no mouse that enters before.
  const element = button.element() as HTMLElement;
  element.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, pointerType: "touch" }));
  element.focus({ focusVisible: false } as FocusOptions);
  await new Promise(requestAnimationFrame);
  expect(element.isConnected).toBe(true);
  element.click();
  await expect.element(screen.getByRole("menu", { name: "Actions for Pin one" })).toBeVisible();
});

test("a pin's menu that gets the focus from behind keeps it, and opens by keyboard", async () => {
  const { screen } = await showCalendar({ posts: [pin("one", at(12)), pin("two", at(13))] });
  document.querySelector<HTMLElement>("[data-pin-id=two]")?.focus();
  await userEvent.keyboard("{Shift>}{Tab}{/Shift}");
  const button = screen.getByRole("button", { name: "Actions for Pin one" });
  await expect.element(button).toHaveFocus();
  await expect.element(button).toHaveAttribute("aria-expanded", "false");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => document.activeElement?.textContent).toBe("Open");
  expect(document.querySelector("[aria-label='Actions for Pin one']")?.getAttribute("aria-expanded")).toBe("true");
});

test("a move to a crowded day names the rule of the safe pace that it breaks; several pins are counted", async () => {
  const crowded = { numbers: PRESETS.steady, breaches: [{ rule: "perDay", limit: 10, other: null }] };
  const answerWith = (...ids: string[]) => ({
    "ACTION checkTimesAction": { ok: true, value: ids.map((post_id) => ({ post_id, ...crowded })) },
  });
  const { screen, calls } = await showCalendar({}, answerWith("one"));
  await moveLater(screen, "Pin one");
  const moved = "Pin moved to Fri, Mar 13, 10:00 AM";
  await expect
    .element(screen.getByText(`${moved}. Doesn't follow your safe pace: your limit is 10 pins a day.`))
    .toBeVisible();
  expect(calls.to("ACTION checkTimesAction")[0]?.body).toEqual([{ slots: [{ post_id: "one", due_at: at(13) }] }]);
  calls.set(answerWith("one", "two"));
  await moveLater(screen, "Pin two");
  await expect
    .element(screen.getByText("Pin moved to Fri, Mar 13, 3:30 PM. 2 pins don't follow your safe pace."))
    .toBeVisible();
});

test.each([
  ["is refused", refusal],
  ["takes too long", pendingResponse().hold],
])("a move stands, with its Undo, when the check of its pace %s", async (_, answer) => {
  const { screen, moves } = await showCalendar({}, { "ACTION checkTimesAction": answer });
  await moveLater(screen, "Pin one");
  await expect.element(screen.getByText("Pin moved to Fri, Mar 13, 10:00 AM", { exact: true })).toBeVisible();
  undoButtons()[0]?.click();
  await expect.poll(() => moves.length).toBe(2);
});

test("when the first of two moves is refused, the second starts from where the pin is, and so does its Undo", async () => {
  const { answer, answerMove } = answering();
  const { screen, moves } = await showCalendar({ answerMove });
  await moveLater(screen, "Pin one");
  await moveLater(screen, "Pin one");
  await answer(refusal());
  await expect.element(screen.getByText("Too many requests.")).toBeVisible();
  await expect.poll(() => moves[1]).toEqual([{ post_id: "one", from: at(12), to: at(14) }]);
  expect(dayOf("Pin one")).toBe("2099-03-14");
  await answer(null);
  await expect.element(screen.getByText("Pin moved to Sat, Mar 14, 10:00 AM")).toBeVisible();
  expect(dayOf("Pin one")).toBe("2099-03-14");
  undoButtons()[0]?.click();
  await answer(null);
  await expect.poll(() => dayOf("Pin one")).toBe("2099-03-12");
  expect(moves[2]).toEqual([{ post_id: "one", from: at(14), to: at(12) }]);
});

test("a pin that was put back after a refused move is not sent", async () => {
  const { answer, answerMove } = answering();
  const { screen, moves } = await showCalendar({ answerMove });
  await moveLater(screen, "Pin one");
  await moveOneDay(screen, "Pin one", "earlier");
  await answer(refusal());
  await expect.poll(() => dayOf("Pin one")).toBe("2099-03-12");
  await expect.poll(() => document.querySelectorAll(".animate-pulse").length).toBe(0);
  expect([moves.length, undoButtons().length]).toEqual([1, 0]);
});

test("Undo of unscheduling says that it is one, so that the pin returns to its plan", async () => {
  const { screen, calls } = await showCalendar();
  await screen.getByRole("button", { name: "Actions for Pin one" }).click();
  await screen.getByRole("menuitem", { name: "Unschedule" }).click();
  await screen.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => dayOf("Pin one")).toBe("2099-03-12");
  expect(calls.to("POST /api/users/pinterest/move-pins/").map(({ body }) => body)).toEqual([
    { moves: [{ post_id: "one", from: at(12), to: null }], is_undo: false },
    { moves: [{ post_id: "one", from: null, to: at(12) }], is_undo: true },
  ]);
});

test("only the newest earlier move says where a pin is, not an older refused one", async () => {
  const { answer, answerMove } = answering();
  const { screen, moves } = await showCalendar({ answerMove });
  for (const way of ["later", "later", "earlier", "later"] as const) await moveOneDay(screen, "Pin one", way);
  for (const response of [refusal(), null, null, null]) await answer(response);
  await expect.poll(() => moves.length).toBe(4);
  expect(moves.slice(1)).toEqual([
    [{ post_id: "one", from: at(12), to: at(14) }],
    [{ post_id: "one", from: at(14), to: at(13) }],
    [{ post_id: "one", from: at(13), to: at(14) }],
  ]);
});

test("after two refused moves, the way back to the first one's time is still sent", async () => {
  const { answer, answerMove } = answering();
  const { screen, moves } = await showCalendar({ answerMove });
  for (const way of ["later", "later", "earlier"] as const) await moveOneDay(screen, "Pin one", way);
  for (const response of [refusal(), refusal(), null]) await answer(response);
  await expect.poll(() => moves[2]).toEqual([{ post_id: "one", from: at(12), to: at(13) }]);
});

test("a chosen time that clocks skip moves forward by the gap, and the dialog says so before", async () => {
  const [now, zone] = [new Date(), ACCOUNT.timeZone];
  const today = localTimeOf(now, zone).date;
  // By date: adding 24 hours late in the evening would jump over the day that has 23.
  const days = Array.from({ length: 400 }, (_, day) => addDays(today, day + 2));
  const date = days.find((day) => instantOf({ date: day, time: "02:30" }, zone)?.clock === "skipped") ?? "";
  const from = addMs(now, DAY_MS).toISOString();
  const shown = { now, date: today, view: "list", posts: [pin("one", from)] } as const;
  const { screen, moves } = await showCalendar({ ...shown, posts: [...shown.posts] });
  await screen.getByRole("button", { name: "Actions for Pin one" }).click();
  await screen.getByRole("menuitem", { name: /^Move to/ }).click();
  const form = screen.getByRole("form", { name: "Date and time" });
  await form.getByLabelText("Date").fill(date);
  await form.getByLabelText("Time").fill("02:30");
  await expect
    .element(form.getByText("Clocks spring forward that night: 2:30 AM doesn't exist and becomes 3:30 AM."))
    .toBeVisible();
  await form.getByRole("button", { name: "Move" }).click();
  const to = instantOf({ date, time: "03:30" }, zone)?.at.toISOString();
  await expect.poll(() => moves).toEqual([[{ post_id: "one", from, to }]]);
});

test("keys move all selected pins together: Space picks them up, arrows choose the day, Enter drops them", async () => {
  const { screen, moves } = await showCalendar();
  for (const title of ["Pin one", "Pin two"]) {
    await screen.getByRole("button", { name: `Actions for ${title}` }).click();
    await screen.getByRole("menuitem", { name: "Select", exact: true }).click();
  }
  await expect.element(screen.getByText("2 selected")).toBeVisible();
  document.querySelector<HTMLElement>("[data-pin-id=one]")?.focus();
  await userEvent.keyboard(" {ArrowRight}{Enter}");
  await expect.poll(() => [dayOf("Pin one"), dayOf("Pin two")]).toEqual(["2099-03-13", "2099-03-13"]);
  expect(moves).toEqual([
    [
      { post_id: "one", from: at(12), to: at(13) },
      { post_id: "two", from: "2099-03-12T19:30:00.000Z", to: "2099-03-13T19:30:00.000Z" },
    ],
  ]);
});

test("on a phone, a day's list moves pins by menu", async () => {
  await page.viewport(390, 844);
  const { screen, moves } = await showCalendar();
  await screen.getByRole("button", { name: /^Thursday, March 12: 2 pins/ }).click();
  await moveLater(screen, "Pin one");
  await expect.element(screen.getByText("Pin moved to Fri, Mar 13, 10:00 AM")).toBeVisible();
  await userEvent.keyboard("{Escape}");
  for (const day of ["Thursday, March 12", "Friday, March 13"]) {
    await expect.element(screen.getByRole("button", { name: new RegExp(`^${day}: 1 pin`) })).toBeVisible();
  }
  expect(moves).toEqual([[{ post_id: "one", from: at(12), to: at(13) }]]);
});

test("on a phone, the list view moves a pin to a chosen time, and undoes it", async () => {
  await page.viewport(390, 844);
  const [now, zone] = [new Date(), ACCOUNT.timeZone];
  const from = addMs(now, DAY_MS).toISOString();
  const { date } = localTimeOf(addMs(now, 3 * DAY_MS), zone);
  const to = instantOf({ date, time: "07:35" }, zone)?.at.toISOString();
  const shown = { now, date: localTimeOf(now, zone).date, view: "list", posts: [pin("one", from)] } as const;
  const { screen, moves } = await showCalendar({ ...shown, posts: [...shown.posts] });
  await screen.getByRole("button", { name: "Actions for Pin one" }).click();
  await screen.getByRole("menuitem", { name: /^Move to/ }).click();
  const form = screen.getByRole("form", { name: "Date and time" });
  await form.getByLabelText("Date").fill(date);
  await form.getByLabelText("Time").fill("07:35");
  await form.getByRole("button", { name: "Move" }).click();
  await expect.element(screen.getByText(/^Pin moved to .* 7:35 AM/)).toBeVisible();
  const timeInRow = () => screen.container.querySelector("[data-slot=calendar-row]")?.textContent;
  await expect.poll(timeInRow).toContain("7:35 AM");
  undoButtons()[0]?.click();
  await expect.poll(() => moves).toEqual([[{ post_id: "one", from, to }], [{ post_id: "one", from: to, to: from }]]);
  await expect.poll(timeInRow).not.toContain("7:35 AM");
});
