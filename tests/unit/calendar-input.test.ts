import { expect, test } from "vitest";
import { TEXTS } from "#lib/features/calendar/constants.ts";
import { movePinsInput, readCalendarInput } from "#lib/features/calendar/schema.ts";

const AT = "2026-12-13T00:00:00+01:00";

test.each([" ", "+1", "2026-12-13", ""])("the time %j is refused with a sentence, also beside a valid one", (wrong) => {
  for (const range of [
    { from: wrong, to: AT },
    { from: AT, to: wrong },
  ]) {
    const { error } = readCalendarInput.safeParse({ accountId: "acc_1", ...range });
    expect(error?.issues.map(({ message }) => message)).toContain(TEXTS.rangeInvalid);
  }
  for (const move of [
    { from: wrong, to: AT },
    { from: null, to: wrong },
  ]) {
    const { error } = movePinsInput.safeParse({ moves: [{ post_id: "pin_1", ...move }] });
    expect(error?.issues.map(({ message }) => message)).toContain(TEXTS.movesInvalid);
  }
});

test("a call is an undo only when it says so", () => {
  const moves = [{ post_id: "pin_1", from: null, to: AT }];
  expect(movePinsInput.parse({ moves }).isUndo).toBe(false);
  expect(movePinsInput.parse({ moves, is_undo: true }).isUndo).toBe(true);
  const { error } = movePinsInput.safeParse({ moves, is_undo: "yes" });
  expect(error?.issues.map(({ message }) => message)).toEqual([TEXTS.isUndoInvalid]);
  const { error: slots } = movePinsInput.safeParse({ moves, into_free_slots: 1 });
  expect(slots?.issues.map(({ message }) => message)).toEqual([TEXTS.intoFreeSlotsInvalid]);
});
