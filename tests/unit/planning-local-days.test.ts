import { expect, test } from "vitest";
import { localDays } from "#lib/features/planning/local-days.ts";

const at = (text: string): number => Date.parse(text);
const days = (timeZone: string) =>
  localDays(timeZone, new Date("2026-10-01T00:00:00Z"), new Date("2026-12-01T00:00:00Z"));
const HALF_PAST_ONE = 90;

test.each([
  // New York repeats 1:00 to 2:00 on November 1, 2026, at 6:00 UTC.
  ["before the hour", "America/New_York", "2026-11-01T04:00:00Z", "2026-11-01T05:30:00Z"],
  ["in its first pass", "America/New_York", "2026-11-01T05:40:00Z", "2026-11-01T06:30:00Z"],
  ["in its second pass", "America/New_York", "2026-11-01T06:10:00Z", "2026-11-01T06:30:00Z"],
  ["after it", "America/New_York", "2026-11-01T06:30:00Z", "2026-11-02T06:30:00Z"],
  ["on an ordinary day", "Asia/Kathmandu", "2026-11-01T19:00:00Z", "2026-11-01T19:45:00Z"],
])("the next half past one %s", (_when, timeZone, from, expected) => {
  expect(new Date(days(timeZone).next(at(from), HALF_PAST_ONE))).toEqual(new Date(expected));
});
