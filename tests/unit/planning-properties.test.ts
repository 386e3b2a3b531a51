import { expect, test } from "vitest";
import { likenessDistance, NEAR_DUPLICATE_BITS_MAX } from "#lib/core/images.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { localTimeOf } from "#lib/core/zoned-time.ts";
import { PACE_RULES, type PaceNumbers, type PaceRule, PRESETS } from "#lib/features/planning/constants.ts";
import { findBreaches, type History, type PlanOptions, type PlanPin, plan } from "#lib/features/planning/planner.ts";
import { fc } from "#tests/support/properties.ts";

const NOW = new Date("2026-10-20T13:37:21.500Z");
const ZONES = ["UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Santiago"];
const LINKS = [null, "https://moss.example/a", "https://moss.example/a/?utm_source=p#x", "https://fern.example/"];
const LOOKS = [null, "00ff00ff00ff00ff", "00ff00ff00ff00fe", "f0f0f0f0f0f0f0f0"];
const TITLES = ["Moss garden", "moss  GARDEN!", "Fern wall", "Ivy", "Reed", "Willow"];

const content = {
  title: fc.constantFrom(...TITLES),
  link: fc.constantFrom(...LINKS),
  likeness: fc.constantFrom(...LOOKS),
};

const times = fc.constantFrom("00:00", "06:00", "07:30", "21:45", "23:00", "02:30");

const numbers: fc.Arbitrary<PaceNumbers> = fc.oneof(
  fc.constantFrom(...Object.values(PRESETS)),
  fc.record({
    perDay: fc.integer({ min: 1, max: 6 }),
    gapMinutes: fc.integer({ min: 1, max: 400 }),
    warmUpStart: fc.constant(1),
    warmUpDays: fc.integer({ min: 0, max: 40 }),
    warmUpPins: fc.integer({ min: 0, max: 20 }),
    quietFrom: times,
    quietTo: times,
    linkDays: fc.integer({ min: 0, max: 20 }),
    similarDays: fc.integer({ min: 0, max: 20 }),
    jitterMinutes: fc.integer({ min: 0, max: 60 }),
  }),
);

const history: fc.Arbitrary<History> = fc
  .record({
    connectedDays: fc.integer({ min: 0, max: 90 }),
    older: fc.integer({ min: 0, max: 30 }),
    pins: fc.array(
      fc.record({ ...content, minutes: fc.integer({ min: -20 * 1_440, max: 20 * 1_440 }), isLate: fc.boolean() }),
      { maxLength: 6 },
    ),
  })
  .map(({ connectedDays, older, pins }) => {
    const listed = pins.map(({ minutes, isLate, ...pin }) => ({
      ...pin,
      at: addMs(NOW, minutes * MINUTE_MS),
      status: minutes < 0 && !isLate ? ("published" as const) : ("scheduled" as const),
    }));
    const publishedCount = older + listed.filter(({ status }) => status === "published").length;
    return { connectedAt: addMs(NOW, -connectedDays * DAY_MS), publishedCount, pins: listed };
  });

const options: fc.Arbitrary<PlanOptions> = fc
  .record({
    numbers,
    left: fc.oneof({ weight: 3, arbitrary: fc.constant<PaceRule[]>([]) }, fc.subarray([...PACE_RULES])),
    timeZone: fc.constantFrom(...ZONES),
    startHours: fc.integer({ min: -1, max: 24 * 14 }),
    seed: fc.integer({ min: 0, max: 1_000 }),
  })
  .map(({ left, startHours, ...rest }) => ({
    ...rest,
    left: new Set(left),
    start: addMs(NOW, startHours * HOUR_MS),
  }));

const pins: fc.Arbitrary<PlanPin[]> = fc
  .array(fc.record(content), { minLength: 1, maxLength: 10 })
  .map((list) => list.map((pin, n) => ({ ...pin, id: `pin_${n}` })));

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
const near = (one: string, other: string): boolean => likenessDistance(one, other) <= NEAR_DUPLICATE_BITS_MAX;
const plainTitle = (title: string): string => title.toLowerCase().replace(/[^a-z]+/g, "");
const plainLink = (link: string): string => link.replace(/[?#].*$/, "").replace(/\/$/, "");
const looksAlike = (one: Omit<PlanPin, "id">, other: Omit<PlanPin, "id">): boolean =>
  plainTitle(one.title) === plainTitle(other.title) ||
  (one.likeness !== null && other.likeness !== null && near(one.likeness, other.likeness));

type Timed = Omit<PlanPin, "id"> & { at: Date; planned: boolean };

/** Counted the slow way, pair by pair, from the rules' descriptions alone. */
const brokenRules = (
  all: readonly Timed[],
  { connectedAt, publishedCount, pins: known }: History,
  rules: PlanOptions,
) => {
  const { numbers: own, timeZone, left } = rules;
  const broken = new Set<PaceRule>();
  const dates = new Map(all.map((pin) => [pin.at, localTimeOf(pin.at, timeZone).date]));
  const dateOf = (at: Date) => dates.get(at) ?? "";
  const connectedOn = Date.parse(localTimeOf(connectedAt, timeZone).date);
  const isPublished = (pin: Timed) => known.some(({ at, status }) => at === pin.at && status === "published");
  for (const pin of all.filter(({ planned }) => planned)) {
    const { date, time } = localTimeOf(pin.at, timeZone);
    const [from, to, minute] = [minutesOf(own.quietFrom), minutesOf(own.quietTo), minutesOf(time)];
    if (from < to ? minute >= from && minute < to : from > to && (minute >= from || minute < to)) broken.add("quiet");
    const ofDay = all.filter(({ at }) => dateOf(at) === date).length;
    if (ofDay > own.perDay) broken.add("perDay");
    const before = publishedCount + all.filter((other) => !isPublished(other) && dateOf(other.at) < date).length;
    const days = (Date.parse(date) - connectedOn) / DAY_MS;
    const share = Math.min(
      own.warmUpDays === 0 ? 1 : days / own.warmUpDays,
      own.warmUpPins === 0 ? 1 : before / own.warmUpPins,
      1,
    );
    const warm = Math.min(own.perDay, own.warmUpStart + Math.floor((own.perDay - own.warmUpStart) * share));
    if (share < 1 && ofDay > warm) broken.add("warmUp");
    for (const other of all) {
      if (other === pin) continue;
      const apart = Math.abs(other.at.getTime() - pin.at.getTime());
      if (apart < own.gapMinutes * MINUTE_MS) broken.add("gap");
      const isSameLink = pin.link && other.link && plainLink(pin.link) === plainLink(other.link);
      if (isSameLink && apart < own.linkDays * DAY_MS) broken.add("link");
      if (looksAlike(pin, other) && apart < own.similarDays * DAY_MS) broken.add("similar");
    }
  }
  return [...broken].filter((rule) => !left.has(rule));
};

const timedOf = (list: readonly PlanPin[], known: History, placed: ReturnType<typeof plan>): Timed[] => {
  const byId = new Map(list.map((pin) => [pin.id, pin]));
  return [
    ...known.pins.map((pin) => ({ ...pin, planned: false })),
    ...placed.placements.flatMap(({ id, at }) => {
      const pin = byId.get(id);
      return pin ? [{ ...pin, at, planned: true }] : [];
    }),
  ];
};

const idsOf = ({ placements, unplaced }: ReturnType<typeof plan>): string[] =>
  [...placements, ...unplaced].map(({ id }) => id).sort();

test("10,000 random plans break no rule that was not left out, and lose or double no pin", () => {
  fc.assert(
    fc.property(pins, history, options, (list, known, rules) => {
      const made = plan(list, known, rules, NOW);
      expect([brokenRules(timedOf(list, known, made), known, rules), idsOf(made)]).toEqual([
        [],
        list.map(({ id }) => id).sort(),
      ]);
      expect(made.placements.every(({ at }) => at >= rules.start && at >= NOW)).toBe(true);
    }),
    { numRuns: 10_000 },
  );
});

test("10,000 random plans of copies: those of one pin are apart by its longest spacing", () => {
  fc.assert(
    fc.property(fc.record(content), fc.integer({ min: 2, max: 5 }), history, options, (pin, count, known, rules) => {
      const copies = Array.from({ length: count }, (_, n) => ({ ...pin, id: `copy_${n}` }));
      const at = plan(copies, known, rules, NOW).placements.map((placed) => placed.at.getTime());
      const ofLink = pin.link === null || rules.left.has("link") ? 0 : rules.numbers.linkDays;
      const spacing = Math.max(ofLink, rules.left.has("similar") ? 0 : rules.numbers.similarDays);
      for (const [n, time] of at.slice(1).entries())
        expect(time - (at[n] ?? 0)).toBeGreaterThanOrEqual(spacing * DAY_MS);
    }),
    { numRuns: 10_000 },
  );
});

test("10,000 random plans: the same input gives the same plan, and one more pin moves no other", () => {
  fc.assert(
    fc.property(pins, history, options, (list, known, rules) => {
      const before = JSON.stringify(known);
      const [short, long] = [plan(list.slice(0, -1), known, rules, NOW), plan(list, known, rules, NOW)];
      // Published pins are only read, and what was planned before the new pin stays where it was.
      expect(JSON.stringify(known)).toBe(before);
      const last = list.at(-1)?.id;
      expect(long.placements.filter(({ id }) => id !== last)).toEqual(short.placements);
      expect(plan(list, known, rules, NOW)).toEqual(long);
    }),
    { numRuns: 10_000 },
  );
});

test("10,000 random schedules: a warning appears exactly when a rule is broken", () => {
  fc.assert(
    fc.property(pins, history, options, fc.integer({ min: 1, max: 900 }), (list, known, rules, interval) => {
      const slots = list.map((pin, n) => ({ pin, at: addMs(rules.start, n * interval * MINUTE_MS) }));
      const timed = [
        ...known.pins.map((pin) => ({ ...pin, planned: false })),
        ...slots.map(({ pin, at }) => ({ ...pin, at, planned: true })),
      ];
      const found = [...findBreaches(slots, known, rules, NOW).values()].flat().map(({ rule }) => rule);
      const isOver = (rule: PaceRule) => found.includes(rule);
      const broken = brokenRules(timed, known, rules);
      for (const rule of ["quiet", "link", "similar"] as const) expect(isOver(rule)).toBe(broken.includes(rule));
      if (!rules.left.has("gap")) expect(isOver("gap")).toBe(broken.includes("gap"));
      expect(isOver("perDay") || isOver("warmUp")).toBe(broken.includes("perDay") || broken.includes("warmUp"));
    }),
    { numRuns: 10_000 },
  );
});
