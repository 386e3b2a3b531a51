import { sql } from "drizzle-orm";
import type { TestHouse } from "#tests/support/context.ts";
import type { Bench, BenchOptions, BenchResult } from "../harness/bench.ts";
import { inBenchHouse } from "../harness/house.ts";
import { interleave, isTooNoisy, sampleOf, timesOf } from "../harness/interleave.ts";
import { median, percentile, round } from "../harness/statistics.ts";
import { bare, copyShelf, fillShelf, MEASURED, ours, type Shelf } from "./report.ts";

const PINS = { full: 20_000, small: 2_000 } as const;
const CALLS = { full: 6, small: 4 } as const;
const ROUNDS = { full: 4, small: 2 } as const;
/** One look at one way of grouping; a second one where noise hides the answer. All of it takes two minutes at most. */
const LOOK_MAX_MS = 8_000;
const LOOKS = 2;

/** A report over 20,000 pins takes at most so long, and so much longer than the bare query. */
const P95_MAX_MS = 200;
const RATIO_MAX = 2;

interface Measured {
  by: string;
  middleMs: number;
  p95Ms: number;
  leastMs: number;
  bareMiddleMs: number;
  bareP95Ms: number;
  bareLeastMs: number;
  isNoisy: boolean;
  isRight: boolean;
}

const lookOnce = async (shelf: Shelf, by: (typeof MEASURED)[number], size: BenchOptions["size"]): Promise<Measured> => {
  const isRight = (await ours(shelf, by)) === (await bare(shelf, by));
  const rounds = await interleave(
    {
      ours: () => sampleOf(CALLS[size], () => ours(shelf, by)),
      anchor: () => sampleOf(CALLS[size], () => bare(shelf, by)),
    },
    { rounds: ROUNDS[size], budgetMs: LOOK_MAX_MS },
  );
  const [own, others] = [timesOf([...rounds.ours, ...rounds.again]), timesOf(rounds.anchor)];
  return {
    by,
    ...{ middleMs: median(own), p95Ms: percentile(own, 95), leastMs: Math.min(...own) },
    ...{ bareMiddleMs: median(others), bareP95Ms: percentile(others, 95), bareLeastMs: Math.min(...others) },
    isNoisy: isTooNoisy(rounds, ({ timesMs }) => median(timesMs)),
    isRight,
  };
};

const look = async (shelf: Shelf, by: (typeof MEASURED)[number], { size, say }: BenchOptions): Promise<Measured> => {
  say(`by ${by}`);
  let found = await lookOnce(shelf, by, size);
  for (let nth = 1; nth < LOOKS && found.isNoisy; nth += 1) {
    say(`by ${by}, once more: the machine is noisy`);
    found = await lookOnce(shelf, by, size);
  }
  return found;
};

const ratioOf = ({ middleMs, bareMiddleMs }: Measured): number => middleMs / bareMiddleMs;

const judge = (all: readonly Measured[]): Pick<BenchResult, "verdict" | "because"> => {
  const wrong = all.filter(({ isRight }) => !isRight);
  if (wrong.length > 0) return { verdict: "wrong", because: `other sums by ${wrong.map(({ by }) => by).join(", ")}` };
  const slow = all.filter((one) => one.p95Ms > P95_MAX_MS || ratioOf(one) > RATIO_MAX);
  const because = all.map((one) => `${one.by} p95 ${round(one.p95Ms, 0)} ms, × ${round(ratioOf(one), 2)}`).join("; ");
  if (slow.length === 0) return { verdict: "met", because };
  return { verdict: slow.some(({ isNoisy }) => isNoisy) ? "inconclusive" : "missed", because };
};

const measure = async (house: TestHouse, options: BenchOptions): Promise<BenchResult> => {
  const size = PINS[options.size];
  options.say(`filling two accounts with ${size} pins each`);
  const shelf = await fillShelf(house, size, options.seed);
  await copyShelf(house, shelf);
  await house.database.db.execute(sql`vacuum analyze`);
  const all: Measured[] = [];
  for (const by of MEASURED) all.push(await look(shelf, by, options));
  return {
    ...judge(all),
    table: [
      ["by", "p50", "p95", "least", "bare p50", "bare p95", "bare, least", "×"],
      ...all.map((one) => [
        ...[one.by, round(one.middleMs), round(one.p95Ms), round(one.leastMs)],
        ...[round(one.bareMiddleMs), round(one.bareP95Ms), round(one.bareLeastMs)],
        round(ratioOf(one), 2),
      ]),
    ],
    figures: { pins: size, reports: all },
    isFinal: true,
  };
};

/** The report over an account's pins, through the product's verb and as text, in turn with a bare query for its sums. */
export const analyticsBench: Bench = {
  name: "analytics",
  what: `the report over 20,000 pins beside the bare SQL; aim: p95 of ${P95_MAX_MS} ms, and at most ${RATIO_MAX} times the bare query`,
  run: (options) => inBenchHouse("analytics", (house) => measure(house, options)),
};
