import { describe, expect, test } from "vitest";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { localTimeOf } from "#lib/core/zoned-time.ts";
import { type PaceNumbers, type PaceRule, PRESETS } from "#lib/features/planning/constants.ts";
import { type History, type HistoryPin, type PlanOptions, type PlanPin, plan } from "#lib/features/planning/planner.ts";
import { dailyLimit, expectedTimes, linkKey, spanText } from "#lib/features/planning/policy.ts";
import { copySpacingText } from "#lib/features/planning/texts.ts";

const NOW = new Date("2026-11-23T12:00:00.000Z");
const OPEN: PaceNumbers = {
  ...{ perDay: 100, gapMinutes: 60, warmUpStart: 1, warmUpDays: 0, warmUpPins: 0, linkDays: 7, similarDays: 14 },
  ...{ quietFrom: "00:00", quietTo: "00:00", jitterMinutes: 0 },
};

const draft = (n: number, change: Partial<PlanPin> = {}): PlanPin => ({
  id: `pin_${n}`,
  title: `Title ${n}`,
  link: null,
  likeness: null,
  ...change,
});

const drafts = (count: number): PlanPin[] => Array.from({ length: count }, (_, n) => draft(n));

const historyOf = (pins: HistoryPin[] = [], change: Partial<History> = {}): History => ({
  connectedAt: addMs(NOW, -400 * DAY_MS),
  publishedCount: 1_000,
  pins,
  ...change,
});

const optionsOf = (numbers: Partial<PaceNumbers> = {}, change: Partial<PlanOptions> = {}): PlanOptions => ({
  numbers: { ...OPEN, ...numbers },
  left: new Set<PaceRule>(),
  timeZone: "UTC",
  start: NOW,
  seed: 1,
  ...change,
});

const hoursOf = (pins: PlanPin[], history: History, options: PlanOptions): number[] =>
  plan(pins, history, options, NOW).placements.map(({ at }) => (at.getTime() - NOW.getTime()) / HOUR_MS);

test("the spacing of copies is named by the rules that the pace has", () => {
  const [link, similar] = [
    "At a safe pace, copies with the same link go out at least 7 days apart",
    "copies with the same image or title",
  ];
  expect(copySpacingText(OPEN)).toBe(`${link}, and ${similar} at least 14 days apart.`);
  expect(copySpacingText({ ...OPEN, similarDays: 0 })).toBe(`${link}.`);
  expect(copySpacingText({ ...OPEN, linkDays: 0, similarDays: 1 })).toBe(
    `At a safe pace, ${similar} go out at least 1 day apart.`,
  );
  expect(copySpacingText({ ...OPEN, linkDays: 0, similarDays: 0 })).toBe(
    "Your pace doesn't require any time between copies.",
  );
});

test("overdue pins are expected at the time that publishing gave them, else at their planned distances from now on", () => {
  const from = (hours: number): Date => addMs(NOW, hours * HOUR_MS);
  const held = [-100, -99, -20, -2, 5].map((hours) => ({ at: from(hours), wakeAt: null }));
  // The third was planned 80 hours after the first; gaps of more than a day count as a day.
  expect(expectedTimes(held, NOW)).toEqual([from(0), from(1), from(48), from(72), from(5)]);
  const waiting = [-3, -2].map((hours, ahead) => ({ at: from(hours), wakeAt: from(1 + ahead) }));
  expect(expectedTimes(waiting, NOW)).toEqual([from(1), from(2)]);
  expect(expectedTimes([], NOW)).toEqual([]);
});

describe("where a rule moves a pin", () => {
  test("the daily limit spreads the pins over the day, so that the fourth of three is on the next day", () => {
    expect(hoursOf(drafts(4), historyOf(), optionsOf({ perDay: 3 }))).toEqual([0, 8, 16, 24]);
    const [first, second] = plan(drafts(4), historyOf(), optionsOf({ perDay: 3 }), NOW).placements;
    expect([first?.moves, second?.moves]).toEqual([[], [{ rule: "perDay", ms: 7 * HOUR_MS, limit: 3, other: null }]]);
  });

  test("quiet hours end in the account's time zone, also on the day when clocks change", () => {
    const start = new Date("2027-03-27T21:30:00.000Z");
    const options = optionsOf({ quietFrom: "22:00", quietTo: "06:00" }, { timeZone: "Europe/Berlin", start });
    const [placed] = plan([draft(1)], historyOf(), options, NOW).placements;
    expect(localTimeOf(placed?.at ?? NOW, "Europe/Berlin")).toEqual({ date: "2027-03-28", time: "06:00" });
    expect(placed?.moves).toEqual([{ rule: "quiet", ms: 6.5 * HOUR_MS, limit: 0, other: null }]);
  });

  test("a scheduled pin nearby moves it by what is missing to the gap", () => {
    const busy = { ...draft(9), status: "scheduled" as const, at: addMs(NOW, 20 * MINUTE_MS) };
    const [placed] = plan([draft(1)], historyOf([busy]), optionsOf(), NOW).placements;
    expect(placed?.at).toEqual(addMs(NOW, 80 * MINUTE_MS));
    expect(placed?.moves).toEqual([{ rule: "gap", ms: 80 * MINUTE_MS, limit: 60, other: "Title 9" }]);
  });

  test("the same link waits a week, and the pins behind it don't", () => {
    const link = "https://moss.example/a";
    const before = {
      ...draft(9, { link: `${link}/?utm_source=pin` }),
      status: "published" as const,
      at: addMs(NOW, -DAY_MS),
    };
    const pins = [draft(1), draft(2, { link }), draft(3)];
    const made = plan(pins, historyOf([before]), optionsOf(), NOW);
    expect(made.placements.map(({ at }) => (at.getTime() - NOW.getTime()) / HOUR_MS)).toEqual([0, 6 * 24, 1]);
    expect(made.placements[1]?.moves).toEqual([{ rule: "link", ms: 143 * HOUR_MS, limit: 7, other: "Title 9" }]);
  });

  test("nearly identical images or titles are kept apart", () => {
    const look = "00ff00ff00ff00ff";
    const pins = [
      draft(1, { likeness: look }),
      draft(2, { likeness: "00ff00ff00ff00fe" }),
      draft(3, { title: "title 1!" }),
    ];
    expect(hoursOf(pins, historyOf(), optionsOf({ gapMinutes: 120 }))).toEqual([0, 14 * 24, 14 * 24 + 2]);
  });

  test("a new account starts slowly, and each rule can be left out of a plan", () => {
    const fresh = historyOf([], { connectedAt: NOW, publishedCount: 0 });
    const numbers = { perDay: 10, warmUpStart: 1, warmUpDays: 10, warmUpPins: 10 };
    const slow = hoursOf(drafts(3), fresh, optionsOf(numbers));
    expect(slow.map((hours) => Math.floor((hours + 12) / 24))).toEqual([0, 1, 2]);
    expect(hoursOf(drafts(3), fresh, optionsOf(numbers, { left: new Set(["warmUp"]) }))).toEqual([0, 2.4, 4.8]);
    expect(hoursOf(drafts(2), fresh, optionsOf(numbers, { left: new Set(["warmUp", "perDay"]) }))).toEqual([0, 1]);
  });

  test("times that the user chose stay, and the others are planned around them", () => {
    const chosen = new Map([["pin_1", addMs(NOW, 90 * MINUTE_MS)]]);
    expect(hoursOf(drafts(3), historyOf(), optionsOf({}, { chosen }))).toEqual([0, 1.5, 2.5]);
  });

  test("jitter depends on the seed and stays within the rules", () => {
    const planned = (seed: number) =>
      plan(drafts(6), historyOf(), optionsOf({ jitterMinutes: 30 }, { seed }), NOW).placements.map(({ at }) => at);
    const times = planned(1);
    expect(times).toEqual(planned(1));
    expect(times).not.toEqual(planned(2));
    const gaps = times.slice(1).map((at, n) => at.getTime() - (times[n] ?? NOW).getTime());
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(HOUR_MS);
    expect(Math.max(...gaps)).toBeGreaterThan(HOUR_MS);
  });

  test("what doesn't fit into a year is listed with its rule", () => {
    const link = "https://moss.example/";
    const pins = Array.from({ length: 6 }, (_, n) => draft(n, { link }));
    const made = plan(pins, historyOf(), optionsOf({ linkDays: 90 }), NOW);
    expect(made.placements).toHaveLength(5);
    expect(made.unplaced).toEqual([{ id: "pin_5", rule: "link" }]);
  });
});

test.each([
  [0, 0, 2, "warmUp"],
  [10, 0, 2, "warmUp"],
  [10, 30, 5, "warmUp"],
  [20, 30, 6, "warmUp"],
  [21, 60, 10, "perDay"],
  [400, 900, 10, "perDay"],
])("steady: %i days and %i published pins allow %i a day", (days, published, max, rule) => {
  expect(dailyLimit(PRESETS.steady, new Set(), { days, published })).toEqual({ max, rule });
});

test.each([
  ["https://www.Moss.example/a/?utm_source=x&id=1#top", "moss.example/a?id=1"],
  ["http://moss.example/", "moss.example"],
  ["not a link ", "not a link"],
])("the link %s is compared as %s", (link, key) => {
  expect(linkKey(link)).toBe(key);
});

test.each([
  [1, "1 min"],
  [125 * MINUTE_MS, "2 h 5 min"],
  [DAY_MS, "1 day"],
  [6 * DAY_MS + 3.4 * HOUR_MS, "6 days 3 h"],
])("%i ms read %s", (ms, text) => {
  expect(spanText(ms)).toBe(text);
});
