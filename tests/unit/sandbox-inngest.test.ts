import { describe, expect, test } from "vitest";
import { latestTickMs, nextTickMs, parseCron } from "#sandbox/inngest/cron.ts";
import { reconnectDelayMs, retryAtMs, wakeAtMs } from "#sandbox/inngest/duration.ts";
import { holds, parseExpression, parseKey } from "#sandbox/inngest/functions.ts";
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
  const timing = { delaysSeconds: [15, 30], jitterSeconds: 0, scale: 1 };

  test("follow the table, whose last entry repeats, and its scale", () => {
    expect([0, 1, 2, 9].map((attempt) => retryAtMs(attempt, undefined, timing, 0))).toEqual([
      15_000, 30_000, 30_000, 30_000,
    ]);
    expect(retryAtMs(0, undefined, { ...timing, scale: 0.1 }, 0)).toBe(1_500);
  });

  test("spread by the jitter, which scales too", () => {
    const at = retryAtMs(0, undefined, { ...timing, jitterSeconds: 30, scale: 0.1 }, 0);
    expect(at).toBeGreaterThanOrEqual(1_500);
    expect(at).toBeLessThanOrEqual(4_500);
  });

  test("obey Retry-After unscaled, between a second and a day", () => {
    const scaled = { ...timing, scale: 0.001 };
    expect(retryAtMs(0, "7", scaled, 0)).toBe(7_000);
    expect(retryAtMs(0, "0", scaled, 0)).toBe(1_000);
    expect(retryAtMs(0, "999999999", scaled, 0)).toBe(86_400_000);
    expect(retryAtMs(0, "1970-01-01T00:01:00.000Z", scaled, 20_000)).toBe(60_000);
    expect(retryAtMs(0, "soon", scaled, 0)).toBe(15);
  });

  test("of a connection start at a quarter second and end at five", () => {
    expect([0, 1, 4, 5, 500].map(reconnectDelayMs)).toEqual([250, 500, 4_000, 5_000, 5_000]);
  });
});

describe("expressions", () => {
  const event = { name: "a", data: { function_id: "app-fn", count: 3, on: true, who: { id: "u1" }, text: "it's" } };

  test.each([
    ["event.data.function_id == 'app-fn'", true],
    ["event.data.function_id == 'app-other'", false],
    ['event.data.who.id == "u1" && event.data.count == 3', true],
    ["event.data.who.id == 'u1' && event.data.count == 4", false],
    ["event.data.on == true", true],
    ["'u1' == event.data.who.id", true],
    ["event.data.text == 'it\\'s'", true],
    ["event.data.missing == event.data.absent", false],
    ["event.data.toString == event.data.toString", false],
    ["event.data.who.id == async.data.who.id", true],
  ])("%s is %s", (text, expected) => {
    expect(holds(parseExpression(text), { event, async: { data: { who: { id: "u1" } } } })).toBe(expected);
  });

  test.each([
    "",
    "event.data.a",
    "event.data.a == 'b' &&",
    "event.data.a == 'b' || true == true",
    "event.data.a > 3",
    "event.data.a == 'b' event.data.c == 'd'",
    "size(event.data.a) == 2",
    "steps.a == 1",
    "event.data['a'] == 1",
  ])("%j is refused", (text) => {
    expect(() => parseExpression(text)).toThrow(/beyond/);
  });

  test("a key is one path or literal", () => {
    expect(parseKey("event.data.who.id")({ event })).toBe("u1");
    expect(parseKey("'all'")({ event })).toBe("all");
    expect(() => parseKey("event.data.a + event.data.b")).toThrow(/beyond/);
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
    ["0 0 1 JAN *", "2026-11-20T00:00:00Z", "2027-01-01T00:00"],
    ["0 9 * * MON-FRI", "2026-11-20T09:00:00Z", "2026-11-23T09:00"],
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
    "1/2/3 * * * *",
    "@daily",
  ])("%j is refused", (cron) => {
    expect(() => parseCron(cron)).toThrow();
  });

  test.each([
    ["TZ=Europe/Paris 0 3 * * *", "2026-11-20T03:00:00Z", "2026-11-21T02:00"],
    ["TZ=Europe/Paris 0 3 * * *", "2026-07-20T03:00:00Z", "2026-07-21T01:00"],
    ["CRON_TZ=Asia/Kathmandu 15 0 * * MON", "2026-11-20T00:00:00Z", "2026-11-22T18:30"],
    ["TZ=UTC 0 3 * * *", "2026-11-20T03:00:00Z", "2026-11-21T03:00"],
    ["TZ=America/New_York 0 0 29 2 *", "2026-11-20T00:00:00Z", "2028-02-29T05:00"],
    // Skipped in spring: none on 29 March, so the next day. Twice in autumn: on 25 October both times.
    ["TZ=Europe/Paris 30 2 * * *", "2026-03-28T12:00:00Z", "2026-03-30T00:30"],
    ["TZ=Europe/Paris 30 2 * * *", "2026-10-24T12:00:00Z", "2026-10-25T00:30"],
    ["TZ=Europe/Paris 30 2 * * *", "2026-10-25T00:30:00Z", "2026-10-25T01:30"],
    ["TZ=Europe/Paris 30 2 * * *", "2026-10-25T01:30:00Z", "2026-10-26T01:30"],
    ["TZ=Europe/Paris */30 * * * *", "2026-03-29T00:30:00Z", "2026-03-29T01:00"],
    ["TZ=Australia/Lord_Howe 0 2 * * *", "2026-10-03T00:00:00Z", "2026-10-04T15:00"],
  ])("%s after %s comes at %s", (cron, after, expected) => {
    expect(next(cron, after)).toBe(expected);
  });

  test("a time zone that there is not is refused by name", () => {
    expect(() => parseCron("TZ=Europe/Atlantis 0 3 * * *")).toThrow(/"Europe\/Atlantis"/);
  });
});

test("ulids are 26 characters in order of time, and equal for an equal seed", () => {
  expect(ulid(1, "a")).toBe(ulid(1, "a"));
  expect(ulid(1, "a")).not.toBe(ulid(1, "b"));
  expect(ulid(1_000)).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  expect(ulid(1_000) < ulid(1_001)).toBe(true);
  expect(ulid(1_469_918_176_385).slice(0, 10)).toBe("01ARYZ6S41");
});
