import { Agent } from "node:http";
import type { Bench, BenchOptions, BenchResult, Verdict } from "../harness/bench.ts";
import { interleave, isTooNoisy, type Rounds, type Sample, timesOf } from "../harness/interleave.ts";
import { median, percentile, type Ratio, ratioOf, round } from "../harness/statistics.ts";
import { type ReadCall, readCalls, targetsOf } from "./calls.ts";
import { type BenchHarness, openHarness } from "./harness.ts";
import { call, load } from "./load.ts";

const TARGET = 1.5;
/** If a larger share of pairs is noisy, the run is inconclusive. */
const MAX_NOISY_SHARE = 0.25;
/** How much the response sizes of the baseline and ours may differ. */
const MAX_BYTE_DIFFERENCE = 0.05;

const SIZES = {
  full: { connections: [1, 8], rounds: 4, forMs: 600, warmMs: 500, budgetMs: 60_000 },
  small: { connections: [1], rounds: 2, forMs: 120, warmMs: 100, budgetMs: 60_000 },
} as const;

type Pair = {
  name: string;
  connections: number;
  rounds: Rounds;
  p50: Ratio;
  p99: number;
  cpu: Ratio;
  isNoisy: boolean;
};

const p50Of = ({ timesMs }: Sample): number => median(timesMs);
const cpuOf = ({ cpuMs, timesMs }: Sample): number => cpuMs / timesMs.length;

/** Checks both responses; returns what is wrong, or null. */
async function findProblem(harness: BenchHarness, item: ReadCall): Promise<string | null> {
  const targets = targetsOf(harness, item);
  const agent = new Agent();
  const [ours, baseline] = [await call(targets.ours, agent), await call(targets.baseline, agent)];
  if (ours.status !== 200 || baseline.status !== 200)
    return `${item.name} returned ${ours.status}, its baseline ${baseline.status}`;
  if (!item.isRight(JSON.parse(ours.text))) return `${item.name} returned a wrong response`;
  const apart = Math.abs(ours.text.length - baseline.text.length) / ours.text.length;
  const isSame = !item.baseline.startsWith("/api/rows") || apart <= MAX_BYTE_DIFFERENCE;
  return isSame ? null : `${item.name} sends ${ours.text.length} bytes, its baseline ${baseline.text.length}`;
}

async function measurePair(
  harness: BenchHarness,
  item: ReadCall,
  connections: number,
  size: BenchOptions["size"],
): Promise<Pair> {
  const { rounds: count, forMs, warmMs, budgetMs } = SIZES[size];
  const targets = targetsOf(harness, item);
  for (const target of Object.values(targets)) await load(target, connections, warmMs);
  const rounds = await interleave(
    {
      ours: () => load(targets.ours, connections, forMs),
      reference: () => load(targets.baseline, connections, forMs),
    },
    { rounds: count, budgetMs },
  );
  const p99 = percentile(timesOf(rounds.ours), 99) / percentile(timesOf(rounds.reference), 99);
  return {
    ...{ name: item.name, connections, rounds, p99 },
    p50: ratioOf(rounds.ours.map(p50Of), rounds.reference.map(p50Of)),
    cpu: ratioOf(rounds.ours.map(cpuOf), rounds.reference.map(cpuOf)),
    isNoisy: isTooNoisy(rounds, p50Of),
  };
}

const rangeOf = ({ low, high }: Ratio): string => `${round(low, 2)}–${round(high, 2)}`;

function rowOf({ name, connections, rounds, p50, p99, cpu, isNoisy }: Pair): (string | number)[] {
  const [ours, baseline] = [timesOf(rounds.ours), timesOf(rounds.reference)];
  return [
    name,
    connections,
    round(median(ours), 2),
    round(median(baseline), 2),
    round(p50.median, 2),
    rangeOf(p50),
    round(p99, 2),
    round(cpu.median, 2),
    isNoisy ? "noisy" : "",
  ];
}

const HEAD = ["call", "conn.", "ms", "baseline ms", "p50 ×", "range", "p99 ×", "CPU ×", ""];

function evaluate(pairs: readonly Pair[]): { verdict: Verdict; reason: string } {
  const clear = pairs.filter(({ isNoisy }) => !isNoisy);
  const noisy = pairs.length - clear.length;
  if (noisy > pairs.length * MAX_NOISY_SHARE) {
    return { verdict: "inconclusive", reason: `${noisy} of ${pairs.length} pairs are too noisy` };
  }
  const over = clear.filter(({ p50, p99 }) => p50.high > TARGET || p99 > TARGET);
  const reason = `${clear.length - over.length} of ${clear.length} pairs within ${TARGET} × at p50 and p99`;
  return { verdict: over.length === 0 ? "met" : "missed", reason };
}

async function run({ size, seed, log }: BenchOptions): Promise<BenchResult> {
  log("building and starting the product and the bare Next app…");
  const harness = await openHarness();
  try {
    const calls = readCalls(harness);
    for (const item of calls) {
      const reason = await findProblem(harness, item);
      if (reason !== null) return { verdict: "wrong", reason, table: [], metrics: {} };
    }
    const pairs: Pair[] = [];
    const first = seed % calls.length;
    for (const connections of SIZES[size].connections) {
      for (const item of [...calls.slice(first), ...calls.slice(0, first)]) {
        log(`${item.name}, ${connections} at a time`);
        pairs.push(await measurePair(harness, item, connections, size));
      }
    }
    const metrics = {
      target: TARGET,
      pairs: pairs.map(({ name, connections, p50, p99, cpu, isNoisy }) => ({
        name,
        connections,
        p50,
        p99,
        cpu,
        isNoisy,
      })),
    };
    return { ...evaluate(pairs), table: [HEAD, ...pairs.map(rowOf)], metrics };
  } finally {
    await harness.stop();
  }
}

/** `npm run bench -- api`. */
export const apiBench: Bench = {
  name: "api",
  what: "each documented read call vs. a bare Next route with one query; target: at most 1.5 × at p50 and p99",
  run,
};
