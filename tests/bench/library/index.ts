import { sql } from "drizzle-orm";
import type { TestHarness } from "#tests/support/context.ts";
import type { Bench, BenchOptions, BenchResult } from "../harness/bench.ts";
import { inBenchHarness } from "../harness/harness.ts";
import { interleave, isTooNoisy, sampleOf, timesOf } from "../harness/interleave.ts";
import { median, percentile, round } from "../harness/statistics.ts";
import { evaluate, FLAT_MAX, type Measured } from "./evaluate.ts";
import { insertPins, type PinSet, type Scenario, scenariosOf } from "./pins.ts";

const SIZES = [100, 1_000, 10_000] as const;
const CALLS = { full: 100, small: 15 } as const;
const ROUNDS = { full: 6, small: 2 } as const;
/** Pins of other users in the same tables. */
const OTHERS = { full: 20_000, small: 2_000 } as const;

/** Durations are compared at this percentile: other processes can only make calls slower. */
const QUIET = 10;

const measureScenario = async (scenario: Scenario, pinSet: PinSet, { size, log }: BenchOptions): Promise<Measured> => {
  log(`${scenario.name}, ${pinSet.size} pins`);
  const [ours, bare] = [await scenario.ours(pinSet), await scenario.bare(pinSet)];
  const calls = CALLS[size];
  const rounds = await interleave(
    {
      ours: () => sampleOf(calls, () => scenario.ours(pinSet)),
      reference: () => sampleOf(calls, () => scenario.bare(pinSet)),
    },
    { rounds: ROUNDS[size], budgetMs: 60_000 },
  );
  const all = timesOf([...rounds.ours, ...rounds.again]);
  return {
    scenario: scenario.name,
    isCounting: scenario.isCounting ?? false,
    size: pinSet.size,
    oursMs: percentile(all, QUIET),
    medianMs: median(all),
    bareMs: percentile(timesOf(rounds.reference), QUIET),
    isNoisy: isTooNoisy(rounds, ({ timesMs }) => percentile(timesMs, QUIET)),
    isRight: ours.length > 0 && ours.join() === bare.join(),
  };
};

const measure = async (harness: TestHarness, options: BenchOptions): Promise<BenchResult> => {
  options.log("inserting pins");
  const pinSets: PinSet[] = [];
  for (const size of SIZES) pinSets.push(await insertPins(harness, size, options.seed));
  await insertPins(harness, OTHERS[options.size], options.seed + 1);
  await harness.database.db.execute(sql`vacuum analyze`);
  const scenarios = await scenariosOf(pinSets);
  const all: Measured[] = [];
  for (const scenario of scenarios)
    for (const pinSet of pinSets) all.push(await measureScenario(scenario, pinSet, options));
  return {
    ...evaluate(all),
    table: [
      ["request", "pins", "ours ms", "p50", "bare ms", "×"],
      ...all.map(({ scenario, size, oursMs, medianMs, bareMs }) => [
        ...[scenario, size, round(oursMs, 2), round(medianMs, 2), round(bareMs, 2), round(oursMs / bareMs, 2)],
      ]),
    ],
    metrics: { pinSets: all },
  };
};

/**
 * What Generated Posts requests, through the product's use cases, alternating with a bare query for the same rows. Runs
 * without the tests' movable clock.
 */
export const libraryBench: Bench = {
  name: "library",
  what: `the first page, a later page and a search vs. bare queries; target: at most ${FLAT_MAX} times slower with 10,000 pins than with 100`,
  run: (options) => inBenchHarness("library", (harness) => measure(harness, options)),
};
