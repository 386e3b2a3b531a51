import { addMs, DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { PRESETS } from "#lib/features/planning/constants.ts";
import { findBreaches, type History, type PlanOptions, type PlanPin, plan } from "#lib/features/planning/planner.ts";
import { createRandom, type Random } from "#tests/support/random.ts";
import type { Bench, BenchOptions, BenchResult } from "../harness/bench.ts";
import { median, round } from "../harness/statistics.ts";

const PINS = { full: 5_000, small: 500 } as const;
const RUNS = { full: 7, small: 3 } as const;
const TARGET_MS = 2_000;
const NOW = new Date("2026-11-24T09:20:00.000Z");
/** Pins per destination link, and the share of images and titles that resemble another pin's. */
const PINS_PER_LINK = 6;
const SIMILAR_OF_100 = 8;

const hash = (random: Random): string =>
  Array.from({ length: 4 }, () => random.below(0x1_0000).toString(16).padStart(4, "0")).join("");

const pinsOf = (count: number, random: Random): PlanPin[] => {
  const made: PlanPin[] = [];
  for (let n = 0; n < count; n += 1) {
    const like = random.below(100) < SIMILAR_OF_100 ? made[random.below(made.length)] : undefined;
    made.push({
      id: `pin_${n}`,
      title: like && random.below(2) === 0 ? like.title : `Pin ${n} about ${random.below(1_000_000)}`,
      link: `https://shop.example/${random.below(Math.ceil(count / PINS_PER_LINK))}`,
      likeness: like?.likeness ?? hash(random),
    });
  }
  return made;
};

const historyOf = (pins: readonly PlanPin[], random: Random): History => ({
  connectedAt: addMs(NOW, -10 * DAY_MS),
  publishedCount: 40,
  pins: Array.from({ length: 80 }, (_, n) => {
    const like = pins[random.below(pins.length)];
    return {
      title: `Earlier pin ${n}`,
      link: like?.link ?? null,
      likeness: like?.likeness ?? null,
      status: n < 40 ? ("published" as const) : ("scheduled" as const),
      at: addMs(NOW, (n - 40) * 6 * 60 * MINUTE_MS),
    };
  }),
});

/** The day's limit spread evenly, whatever else the account does. */
const planNaively = (pins: readonly PlanPin[], { numbers }: PlanOptions) => {
  const interval = Math.floor(1_440 / numbers.perDay);
  return pins.map((pin, n) => ({ pin, at: addMs(NOW, n * interval * MINUTE_MS) }));
};

const cpuMs = (work: () => unknown): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

const measure = async ({ size, seed, log }: BenchOptions): Promise<BenchResult> => {
  const random = createRandom(seed);
  const pins = pinsOf(PINS[size], random);
  const history = historyOf(pins, random);
  const options = { numbers: PRESETS.brisk, left: new Set<never>(), timeZone: "America/New_York", start: NOW, seed };
  log("comparing");
  const made = plan(pins, history, options, NOW);
  const byId = new Map(pins.map((pin) => [pin.id, pin]));
  const ours = made.placements.flatMap(({ id, at }) => {
    const pin = byId.get(id);
    return pin ? [{ pin, at }] : [];
  });
  const brokenBy = (slots: typeof ours) => [...findBreaches(slots, history, options, NOW).values()].flat().length;
  const [broken, naiveBroken] = [brokenBy(ours), brokenBy(planNaively(pins, options))];
  const runs = Array.from({ length: RUNS[size] }, (_, n) => {
    log(`run ${n + 1}`);
    return {
      ours: cpuMs(() => plan(pins, history, options, NOW)),
      naive: cpuMs(() => planNaively(pins, options)),
      check: cpuMs(() => brokenBy(ours)),
    };
  });
  const [oursMs, naiveMs] = [median(runs.map((run) => run.ours)), median(runs.map((run) => run.naive))];
  const checkMs = median(runs.map((run) => run.check));
  const isComplete = ours.length + made.unplaced.length === pins.length && made.unplaced.length === 0;
  const days = (list: typeof ours) => round((Math.max(...list.map(({ at }) => at.getTime())) - NOW.getTime()) / DAY_MS);
  const reason = `${pins.length} pins in ${round(oursMs)} CPU ms (target ${TARGET_MS}); rules broken: ${broken}, by the naive planner ${naiveBroken}`;
  return {
    verdict: broken > 0 || !isComplete ? "wrong" : oursMs <= TARGET_MS ? "met" : "missed",
    reason,
    table: [
      ["planner", "CPU ms", "rules broken", "days"],
      ["safe pace", round(oursMs), broken, days(ours)],
      ["naive", round(naiveMs, 2), naiveBroken, days(planNaively(pins, options))],
      ["warnings of a fixed interval", round(checkMs), "", ""],
    ],
    metrics: { pins: pins.length, oursMs, naiveMs, checkMs, broken, naiveBroken, unplaced: made.unplaced.length },
  };
};

/** The planner of `lib/features/planning` at ten times the size of the largest schedule. */
export const planBench: Bench = {
  name: "plan",
  what: `a safe pace for ${PINS.full} pins vs. a planner that only divides the day; targets: ${TARGET_MS} ms of CPU, no rule broken`,
  run: measure,
};
