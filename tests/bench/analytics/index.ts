import { sql } from "drizzle-orm";
import type { TestHarness } from "#tests/support/context.ts";
import type { Bench, BenchOptions, BenchResult } from "../harness/bench.ts";
import { inBenchHarness } from "../harness/harness.ts";
import { interleave, isTooNoisy, sampleOf, timesOf } from "../harness/interleave.ts";
import { median, percentile, round } from "../harness/statistics.ts";
import { bare, copyToOtherAccount, MEASURED, ours, type SeededAccount, seedReportAccount } from "./report.ts";

const PINS = { full: 20_000, small: 2_000 } as const;
const CALLS = { full: 6, small: 4 } as const;
const ROUNDS = { full: 4, small: 2 } as const;
/** Time limit for one measurement; a noisy one is repeated once. The whole bench takes two minutes at most. */
const MEASURE_MAX_MS = 8_000;
const MAX_ATTEMPTS = 2;

/** Targets for a report over 20,000 pins: p95, and the ratio to the bare query. */
const MAX_P95_MS = 200;
const MAX_RATIO = 2;

interface Measured {
  by: string;
  medianMs: number;
  p95Ms: number;
  minMs: number;
  bareMedianMs: number;
  bareP95Ms: number;
  bareMinMs: number;
  isNoisy: boolean;
  isRight: boolean;
}

const measureOnce = async (
  seeded: SeededAccount,
  by: (typeof MEASURED)[number],
  size: BenchOptions["size"],
): Promise<Measured> => {
  const isRight = (await ours(seeded, by)) === (await bare(seeded, by));
  const rounds = await interleave(
    {
      ours: () => sampleOf(CALLS[size], () => ours(seeded, by)),
      reference: () => sampleOf(CALLS[size], () => bare(seeded, by)),
    },
    { rounds: ROUNDS[size], budgetMs: MEASURE_MAX_MS },
  );
  const [own, others] = [timesOf([...rounds.ours, ...rounds.again]), timesOf(rounds.reference)];
  return {
    by,
    ...{ medianMs: median(own), p95Ms: percentile(own, 95), minMs: Math.min(...own) },
    ...{ bareMedianMs: median(others), bareP95Ms: percentile(others, 95), bareMinMs: Math.min(...others) },
    isNoisy: isTooNoisy(rounds, ({ timesMs }) => median(timesMs)),
    isRight,
  };
};

const measureGrouping = async (
  seeded: SeededAccount,
  by: (typeof MEASURED)[number],
  { size, log }: BenchOptions,
): Promise<Measured> => {
  log(`by ${by}`);
  let measured = await measureOnce(seeded, by, size);
  for (let nth = 1; nth < MAX_ATTEMPTS && measured.isNoisy; nth += 1) {
    log(`by ${by}, again: the machine is noisy`);
    measured = await measureOnce(seeded, by, size);
  }
  return measured;
};

const ratioOf = ({ medianMs, bareMedianMs }: Measured): number => medianMs / bareMedianMs;

const evaluate = (all: readonly Measured[]): Pick<BenchResult, "verdict" | "reason"> => {
  const wrong = all.filter(({ isRight }) => !isRight);
  if (wrong.length > 0)
    return { verdict: "wrong", reason: `different sums by ${wrong.map(({ by }) => by).join(", ")}` };
  const slow = all.filter((item) => item.p95Ms > MAX_P95_MS || ratioOf(item) > MAX_RATIO);
  const reason = all
    .map((item) => `${item.by} p95 ${round(item.p95Ms, 0)} ms, × ${round(ratioOf(item), 2)}`)
    .join("; ");
  if (slow.length === 0) return { verdict: "met", reason };
  return { verdict: slow.some(({ isNoisy }) => isNoisy) ? "inconclusive" : "missed", reason };
};

const measure = async (harness: TestHarness, options: BenchOptions): Promise<BenchResult> => {
  const size = PINS[options.size];
  options.log(`filling two accounts with ${size} pins each`);
  const seeded = await seedReportAccount(harness, size, options.seed);
  await copyToOtherAccount(harness, seeded);
  await harness.database.db.execute(sql`vacuum analyze`);
  const all: Measured[] = [];
  for (const by of MEASURED) all.push(await measureGrouping(seeded, by, options));
  return {
    ...evaluate(all),
    table: [
      ["by", "p50", "p95", "min", "bare p50", "bare p95", "bare min", "×"],
      ...all.map((item) => [
        ...[item.by, round(item.medianMs), round(item.p95Ms), round(item.minMs)],
        ...[round(item.bareMedianMs), round(item.bareP95Ms), round(item.bareMinMs)],
        round(ratioOf(item), 2),
      ]),
    ],
    metrics: { pins: size, reports: all },
    isFinal: true,
  };
};

/** The report over an account's pins, including its JSON, alternating with a bare query for its sums. */
export const analyticsBench: Bench = {
  name: "analytics",
  what: `the report over 20,000 pins vs. bare SQL; target: p95 of ${MAX_P95_MS} ms, and at most ${MAX_RATIO} times the bare query`,
  run: (options) => inBenchHarness("analytics", (harness) => measure(harness, options)),
};
