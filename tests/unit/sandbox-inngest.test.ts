import { describe, expect, test } from "vitest";
import {
  latestTickMs,
  nextTickMs,
  parseCron,
  reconnectDelayMs,
  retryDelayMs,
  sleepEndMs,
} from "#sandbox/inngest/time.ts";
import { ulid } from "#sandbox/kit/values.ts";

describe("durations", () => {
  test.each([
    ["2s", 2_000],
    ["1d2h", 93_600_000],
    ["1w1m30s", 604_890_000],
    ["", 0],
  ])("%j lasts %i ms", (text, lasts) => {
    expect(sleepEndMs(text, 1_000)).toBe(1_000 + lasts);
  });

  test("a timestamp does not depend on the clock", () => {
    expect(sleepEndMs("2026-11-20T10:00:00.000Z", 5)).toBe(Date.UTC(2026, 10, 20, 10));
    expect(sleepEndMs("2026-11-20T10:00:00+02:00", 5)).toBe(Date.UTC(2026, 10, 20, 8));
    expect(sleepEndMs("tomorrow", 5)).toBeUndefined();
    expect(sleepEndMs("2x", 5)).toBeUndefined();
  });
});

describe("retries", () => {
  const timing = { jitterSeconds: 0, scale: 1 };

  test("delays follow the table, whose last entry repeats, and the scale", () => {
    expect([0, 1, 2, 9, 10].map((attempt) => retryDelayMs(attempt, undefined, timing, 0))).toEqual([
      15_000, 30_000, 60_000, 7_200_000, 7_200_000,
    ]);
    expect(retryDelayMs(0, undefined, { ...timing, scale: 0.1 }, 0)).toBe(1_500);
  });

  test("delays vary by the jitter, which is scaled too", () => {
    const at = retryDelayMs(0, undefined, { ...timing, jitterSeconds: 30, scale: 0.1 }, 0);
    expect(at).toBeGreaterThanOrEqual(1_500);
    expect(at).toBeLessThanOrEqual(4_500);
  });

  test("Retry-After is obeyed unscaled, between a second and a day", () => {
    const scaled = { ...timing, scale: 0.001 };
    expect(retryDelayMs(0, "7", scaled, 0)).toBe(7_000);
    expect(retryDelayMs(0, "0", scaled, 0)).toBe(1_000);
    expect(retryDelayMs(0, "999999999", scaled, 0)).toBe(86_400_000);
    expect(retryDelayMs(0, "1970-01-01T00:01:00.000Z", scaled, 20_000)).toBe(40_000);
    expect(retryDelayMs(0, "soon", scaled, 0)).toBe(15);
  });

  test("connection retries start at 250 ms and end at five seconds", () => {
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
  ])("%s after %s is at %s", (cron, after, expected) => {
    expect(next(cron, after)).toBe(expected);
  });

  test("only the latest of several missed ticks counts", () => {
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
  ])("%j is rejected", (cron) => {
    expect(() => parseCron(cron)).toThrow();
  });
});

test("ULIDs have 26 characters, sort by time, and are equal for an equal seed", () => {
  expect(ulid(1, "a")).toBe(ulid(1, "a"));
  expect(ulid(1, "a")).not.toBe(ulid(1, "b"));
  expect(ulid(1_000)).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  expect(ulid(1_000) < ulid(1_001)).toBe(true);
  expect(ulid(1_469_918_176_385).slice(0, 10)).toBe("01ARYZ6S41");
});
