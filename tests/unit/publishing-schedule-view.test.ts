import { describe, expect, test } from "vitest";
import { durationText, timelineOf } from "#components/publishing/slot-notes.ts";

describe("the schedule bar", () => {
  test("R-SCH-03 formats the duration", () => {
    expect([0, 59, 60, 180, 1_440, 1_501].map(durationText)).toEqual([
      "0h 0m",
      "0h 59m",
      "1h 0m",
      "3h 0m",
      "1d 0h 0m",
      "1d 1h 1m",
    ]);
  });

  test("R-SCH-09 places tacks at the first pin, the last, and some between them", () => {
    const start = new Date("2026-11-20T10:00:00Z");
    const minutesOf = (count: number) =>
      timelineOf(count, start, 60).map(({ at }) => (at.getTime() - start.getTime()) / 60_000);
    expect([1, 2, 4, 5, 7].map(minutesOf)).toEqual([
      [0],
      [0, 60],
      [0, 60, 120, 180],
      [0, 120, 240],
      [0, 120, 240, 360],
    ]);
  });
});
