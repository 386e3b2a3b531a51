import { expect, test } from "vitest";
import { formatDateTime, HOUR_MS } from "#lib/core/time.ts";
import { planSlots } from "#lib/features/publishing/policy.ts";

/** Four pins an hour apart, in local time. */
const shown = (start: string, timeZone: string): string[] =>
  planSlots(["a", "b", "c", "d"], new Date(start), 60).map(({ dueAt }) =>
    formatDateTime(dueAt.toISOString(), timeZone),
  );

test("R-SCH-09 R-SRV-06 when clocks spring forward, pins stay an hour apart and none shows a skipped hour", () => {
  expect(shown("2026-03-28T23:30:00Z", "Europe/Berlin")).toEqual([
    "Mar 29, 2026, 12:30 AM",
    "Mar 29, 2026, 1:30 AM",
    "Mar 29, 2026, 3:30 AM",
    "Mar 29, 2026, 4:30 AM",
  ]);
});

test("R-SCH-09 R-SRV-06 when clocks fall back, two pins show the same hour and are an hour apart", () => {
  const start = "2026-11-01T04:30:00Z";
  expect(shown(start, "America/New_York")).toEqual([
    "Nov 1, 2026, 12:30 AM",
    "Nov 1, 2026, 1:30 AM",
    "Nov 1, 2026, 1:30 AM",
    "Nov 1, 2026, 2:30 AM",
  ]);
  const [, second, third] = planSlots(["a", "b", "c"], new Date(start), 60);
  expect(Number(third?.dueAt) - Number(second?.dueAt)).toBe(HOUR_MS);
});
