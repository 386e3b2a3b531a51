import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { contextOf, type TestHarness } from "#tests/support/context.ts";
import type { Bench, BenchOptions, BenchResult } from "../harness/bench.ts";
import { inBenchHarness } from "../harness/harness.ts";
import { interleave, isTooNoisy, type Sample } from "../harness/interleave.ts";
import { median, ratioOf, round } from "../harness/statistics.ts";
import { AT_ONCE, openLedger, openPairs } from "./contenders.ts";

/** Total number of ledger operations, whatever the rounds. */
const OPS = { full: 100_000, small: 4_000 } as const;
const ROUNDS = { full: 5, small: 2 } as const;

/** Runs one contender's operations concurrently and measures each from its start. */
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

const rateOf = (item: Sample): number => ("perSecond" in item ? Number(item.perSecond) : Number.NaN);

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

const measure = async (harness: TestHarness, { size, seed, log }: BenchOptions): Promise<BenchResult> => {
  const ops = OPS[size] / ROUNDS[size] / 2;
  const [ledger, pairs] = [await openLedger(harness, seed), await openPairs(harness, seed)];
  const rounds = await interleave(
    { ours: () => sample(ops, ledger.act), reference: () => sample(ops, pairs.act) },
    { rounds: ROUNDS[size], budgetMs: 600_000 },
  );
  log("checking the ledger");
  const report = await checkLedger(contextOf(harness, { kind: "job", name: "bench" }));
  const ours = [...rounds.ours, ...rounds.again];
  const ratio = ratioOf(rounds.ours.map(rateOf), rounds.reference.map(rateOf));
  const table = [
    ["who", "ops/s", "p50 ms", "p99 ms", "CPU ms/op"],
    toRow("ledger", ours, ops),
    toRow("bare update of two rows", rounds.reference, ops),
  ];
  const metrics = { ops: ours.length * ops, transfers: report.transfers, sumCredits: report.sumCredits, ratio };
  const faults = [...report.faults, ...(report.sumCredits === 0 ? [] : ["The lines do not sum to zero"])];
  if (faults.length > 0) return { verdict: "wrong", reason: faults.join("; "), table, metrics };
  const share = `${round(ratio.median, 2)} (${round(ratio.low, 2)} to ${round(ratio.high, 2)}) of the bare update's`;
  const reason = `${metrics.ops} operations, sum 0, nothing negative, no duplicate causes; ops/s are ${share}`;
  return { verdict: isTooNoisy(rounds, rateOf) ? "inconclusive" : "met", reason, table, metrics };
};

/**
 * Reservations, spends, returns and grants of many users at once, each in its own transaction, alternating with the
 * minimum that moves credits between two rows. Runs without the tests' adjustable clock.
 */
export const ledgerBench: Bench = {
  name: "ledger",
  what: "operations per second vs. a bare update of two rows; target: 100,000 random operations, sum 0, nothing negative",
  run: (options) => inBenchHarness("ledger", (harness) => measure(harness, options)),
};
