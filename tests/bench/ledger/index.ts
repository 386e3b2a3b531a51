import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { contextOf, type TestHouse } from "#tests/support/context.ts";
import type { Bench, BenchOptions, BenchResult } from "../harness/bench.ts";
import { inBenchHouse } from "../harness/house.ts";
import { interleave, isTooNoisy, type Sample } from "../harness/interleave.ts";
import { median, ratioOf, round } from "../harness/statistics.ts";
import { AT_ONCE, openBooks, openPairs } from "./contenders.ts";

/** So many operations of the ledger in all, whatever the rounds. */
const OPS = { full: 100_000, small: 4_000 } as const;
const ROUNDS = { full: 5, small: 2 } as const;

/** One contender's operations, so many at once, and how long each took from its begin. */
const sample = async (count: number, act: (nth: number) => Promise<void>): Promise<Sample & { perSecond: number }> => {
  const timesMs: number[] = [];
  let next = 0;
  const work = async () => {
    for (let nth = next++; nth < count; nth = next++) {
      const begunMs = performance.now();
      await act(nth);
      timesMs.push(performance.now() - begunMs);
    }
  };
  const begunMs = performance.now();
  const cpu = process.cpuUsage();
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const { user, system } = process.cpuUsage(cpu);
  const tookMs = performance.now() - begunMs;
  return { cpuMs: (user + system) / 1_000, timesMs, perSecond: (count * 1_000) / tookMs };
};

const rateOf = (one: Sample): number => ("perSecond" in one ? Number(one.perSecond) : Number.NaN);

const toRow = (who: string, samples: readonly Sample[], ops: number): (string | number)[] => {
  const times = samples.flatMap(({ timesMs }) => timesMs);
  return [
    who,
    Math.round(median(samples.map(rateOf))),
    round(median(times)),
    round(times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN),
    round(median(samples.map(({ cpuMs }) => cpuMs)) / ops, 2),
  ];
};

const measure = async (house: TestHouse, { size, seed, say }: BenchOptions): Promise<BenchResult> => {
  const ops = OPS[size] / ROUNDS[size] / 2;
  const [books, pairs] = [await openBooks(house, seed), await openPairs(house, seed)];
  const rounds = await interleave(
    { ours: () => sample(ops, books.act), anchor: () => sample(ops, pairs.act) },
    { rounds: ROUNDS[size], budgetMs: 600_000 },
  );
  say("looking through the books");
  const report = await checkLedger(contextOf(house, { kind: "job", name: "bench" }));
  const ours = [...rounds.ours, ...rounds.again];
  const ratio = ratioOf(rounds.ours.map(rateOf), rounds.anchor.map(rateOf));
  const table = [
    ["who", "ops/s", "p50 ms", "p99 ms", "CPU ms/op"],
    toRow("ledger", ours, ops),
    toRow("bare update of two rows", rounds.anchor, ops),
  ];
  const figures = { ops: ours.length * ops, transfers: report.transfers, sumCredits: report.sumCredits, ratio };
  const faults = [...report.faults, ...(report.sumCredits === 0 ? [] : ["The lines do not sum to zero"])];
  if (faults.length > 0) return { verdict: "wrong", because: faults.join("; "), table, figures };
  const share = `${round(ratio.median, 2)} (${round(ratio.low, 2)} to ${round(ratio.high, 2)}) of the bare update's`;
  const because = `${figures.ops} operations, sum 0, nothing negative, every cause once; ops/s are ${share}`;
  return { verdict: isTooNoisy(rounds, rateOf) ? "inconclusive" : "met", because, table, figures };
};

/**
 * Reservations, spends, returns and grants of many users at once, each an own transaction through the product's verbs,
 * in turn with the least that moves credits from one row to another. Without the tests' movable clock.
 */
export const ledgerBench: Bench = {
  name: "ledger",
  what: "operations per second beside a bare update of two rows; aim: 100,000 at random, sum 0, nothing negative",
  run: (options) => inBenchHouse("ledger", (house) => measure(house, options)),
};
