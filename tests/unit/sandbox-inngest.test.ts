import { describe, expect, test } from "vitest";
import { latestTickMs, nextTickMs, parseCron } from "#sandbox/inngest/cron.ts";
import { reconnectDelayMs, retryDelayMs, wakeAtMs } from "#sandbox/inngest/duration.ts";
import { ulid } from "#sandbox/inngest/protocol.ts";

describe("durations", () => {
  test.each([
    ["2s", 2_000],
    ["1d2h", 93_600_000],
    ["1w1m30s", 604_890_000],
    ["", 0],
  ])("%j lasts %i ms", (text, lasts) => {
    expect(wakeAtMs(text, 1_000)).toBe(1_000 + lasts);
  });

  test("a moment is a moment, whatever the clock says", () => {
    expect(wakeAtMs("2026-11-20T10:00:00.000Z", 5)).toBe(Date.UTC(2026, 10, 20, 10));
    expect(wakeAtMs("2026-11-20T10:00:00+02:00", 5)).toBe(Date.UTC(2026, 10, 20, 8));
    expect(wakeAtMs("tomorrow", 5)).toBeUndefined();
    expect(wakeAtMs("2x", 5)).toBeUndefined();
  });
});

describe("retries", () => {
  const timing = { jitterSeconds: 0, scale: 1 };

  test("follow the table, whose last entry repeats, and its scale", () => {
    expect([0, 1, 2, 9, 10].map((attempt) => retryDelayMs(attempt, undefined, timing, 0))).toEqual([
      15_000, 30_000, 60_000, 7_200_000, 7_200_000,
    ]);
    expect(retryDelayMs(0, undefined, { ...timing, scale: 0.1 }, 0)).toBe(1_500);
  });

  test("spread by the jitter, which scales too", () => {
    const at = retryDelayMs(0, undefined, { ...timing, jitterSeconds: 30, scale: 0.1 }, 0);
    expect(at).toBeGreaterThanOrEqual(1_500);
    expect(at).toBeLessThanOrEqual(4_500);
  });

  test("obey Retry-After unscaled, between a second and a day", () => {
    const scaled = { ...timing, scale: 0.001 };
    expect(retryDelayMs(0, "7", scaled, 0)).toBe(7_000);
    expect(retryDelayMs(0, "0", scaled, 0)).toBe(1_000);
    expect(retryDelayMs(0, "999999999", scaled, 0)).toBe(86_400_000);
    expect(retryDelayMs(0, "1970-01-01T00:01:00.000Z", scaled, 20_000)).toBe(40_000);
    expect(retryDelayMs(0, "soon", scaled, 0)).toBe(15);
  });

  test("of a connection start at a quarter second and end at five", () => {
    expect([0, 1, 4, 5, 500].map((failures) => reconnectDelayMs(failures))).toEqual([250, 500, 4_000, 5_000, 5_000]);
  });
});

describe("cron", () => {
  const next = (cron: string, after: string) => {
    const at = nextTickMs(parseCron(cron), Date.parse(after));
    return at === undefined ? undefined : new Date(at).toISOString().slice(0, 16);
  };

  test.each([
    ["* * * * *", "2026-11-20T10:00:00Z", "2026-11-20T10:01"],
    ["*/15 * * * *", "2026-11-20T10:59:59Z", "2026-11-20T11:00"],
    ["0 3 * * *", "2026-11-20T03:00:00Z", "2026-11-21T03:00"],
    ["30 4 1,15 * *", "2026-11-20T00:00:00Z", "2026-12-01T04:30"],
    ["0 0 1 1 *", "2026-11-20T00:00:00Z", "2027-01-01T00:00"],
    ["0 9 * * 1-5", "2026-11-20T09:00:00Z", "2026-11-23T09:00"],
    ["0 0 * * 7", "2026-11-20T00:00:00Z", "2026-11-22T00:00"],
    ["0 0 13 * 5", "2026-11-20T00:00:00Z", "2026-11-27T00:00"],
    ["5/20 * * * *", "2026-11-20T10:30:00Z", "2026-11-20T10:45"],
    ["0 0 29 2 *", "2026-11-20T00:00:00Z", "2028-02-29T00:00"],
    ["0 0 31 2 *", "2026-11-20T00:00:00Z", undefined],
  ])("%s after %s comes at %s", (cron, after, expected) => {
    expect(next(cron, after)).toBe(expected);
  });

  test("of several missed ticks the latest counts", () => {
    const hourly = parseCron("0 * * * *");
    const noon = Date.UTC(2026, 10, 20, 12);
    expect(latestTickMs(hourly, noon, noon + 3.5 * 3_600_000)).toBe(noon + 3 * 3_600_000);
    expect(latestTickMs(hourly, noon, noon + 60_000)).toBeUndefined();
    expect(latestTickMs(hourly, noon, noon - 3_600_000)).toBeUndefined();
  });

  test.each([
    "* * * *",
    "60 * * * *",
    "* * * * * *",
    "1-0 * * * *",
    "*/0 * * * *",
    "a * * * *",
    "0 9 * * MON",
    "1/2/3 * * * *",
    "@daily",
    "TZ=Europe/Paris 0 3 * * *",
  ])("%j is refused", (cron) => {
    expect(() => parseCron(cron)).toThrow();
  });
});

test("ulids are 26 characters in order of time, and equal for an equal seed", () => {
  expect(ulid(1, "a")).toBe(ulid(1, "a"));
  expect(ulid(1, "a")).not.toBe(ulid(1, "b"));
  expect(ulid(1_000)).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  expect(ulid(1_000) < ulid(1_001)).toBe(true);
  expect(ulid(1_469_918_176_385).slice(0, 10)).toBe("01ARYZ6S41");
});
