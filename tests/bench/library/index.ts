import { sql } from "drizzle-orm";
import type { TestHouse } from "#tests/support/context.ts";
import type { Bench, BenchOptions, BenchResult } from "../harness/bench.ts";
import { inBenchHouse } from "../harness/house.ts";
import { interleave, isTooNoisy, sampleOf, timesOf } from "../harness/interleave.ts";
import { median, percentile, round } from "../harness/statistics.ts";
import { FLAT_MAX, type Found, judge } from "./judge.ts";
import { hangPins, type Moment, momentsOf, type Wall } from "./wall.ts";

const WALLS = [100, 1_000, 10_000] as const;
const CALLS = { full: 100, small: 15 } as const;
const ROUNDS = { full: 6, small: 2 } as const;
/** Pins of others in the same tables. */
const OTHERS = { full: 20_000, small: 2_000 } as const;

/** The times are told by this percentile: what others do on the machine only ever adds to them. */
const QUIET = 10;

const look = async (moment: Moment, wall: Wall, { size, say }: BenchOptions): Promise<Found> => {
  say(`${moment.name}, ${wall.size} pins`);
  const [ours, bare] = [await moment.ours(wall), await moment.bare(wall)];
  const calls = CALLS[size];
  const rounds = await interleave(
    { ours: () => sampleOf(calls, () => moment.ours(wall)), anchor: () => sampleOf(calls, () => moment.bare(wall)) },
    { rounds: ROUNDS[size], budgetMs: 60_000 },
  );
  const all = timesOf([...rounds.ours, ...rounds.again]);
  return {
    moment: moment.name,
    isCounting: moment.isCounting ?? false,
    size: wall.size,
    oursMs: percentile(all, QUIET),
    middleMs: median(all),
    bareMs: percentile(timesOf(rounds.anchor), QUIET),
    isNoisy: isTooNoisy(rounds, ({ timesMs }) => percentile(timesMs, QUIET)),
    isRight: ours.length > 0 && ours.join() === bare.join(),
  };
};

const measure = async (house: TestHouse, options: BenchOptions): Promise<BenchResult> => {
  options.say("hanging pins");
  const walls: Wall[] = [];
  for (const size of WALLS) walls.push(await hangPins(house, size, options.seed));
  await hangPins(house, OTHERS[options.size], options.seed + 1);
  await house.database.db.execute(sql`vacuum analyze`);
  const moments = await momentsOf(walls);
  const all: Found[] = [];
  for (const moment of moments) for (const wall of walls) all.push(await look(moment, wall, options));
  return {
    ...judge(all),
    table: [
      ["what", "pins", "ours ms", "p50", "bare ms", "×"],
      ...all.map(({ moment, size, oursMs, middleMs, bareMs }) => [
        ...[moment, size, round(oursMs, 2), round(middleMs, 2), round(bareMs, 2), round(oursMs / bareMs, 2)],
      ]),
    ],
    figures: { walls: all },
  };
};

/**
 * What Generated Posts asks for, through the product's verbs, in turn with a bare query for the same rows. Without the
 * tests' movable clock.
 */
export const libraryBench: Bench = {
  name: "library",
  what: `the first page, one on the way down and a search beside bare queries; aim: within ${FLAT_MAX} times flat from 100 to 10,000 pins`,
  run: (options) => inBenchHouse("library", (house) => measure(house, options)),
};
