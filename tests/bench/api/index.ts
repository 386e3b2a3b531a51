import { Agent } from "node:http";
import type { Bench, BenchOptions, BenchResult, Verdict } from "../harness/bench.ts";
import { interleave, isTooNoisy, type Rounds, type Sample, timesOf } from "../harness/interleave.ts";
import { median, percentile, type Ratio, ratioOf, round } from "../harness/statistics.ts";
import { type ReadCall, readCalls, targetsOf } from "./calls.ts";
import { type BenchHouse, openHouse } from "./house.ts";
import { call, load } from "./load.ts";

const TARGET = 1.5;
/** More noisy pairs than this share, and the whole run says nothing. */
const NOISY_MOST = 0.25;
/** How far the floor's bytes may lie from ours where it is said to send the same. */
const BYTES_APART = 0.05;

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

/** Whether both sides answer what they are said to. @returns what is wrong, or null */
async function wrongIn(house: BenchHouse, one: ReadCall): Promise<string | null> {
  const targets = targetsOf(house, one);
  const agent = new Agent();
  const [ours, floor] = [await call(targets.ours, agent), await call(targets.floor, agent)];
  if (ours.status !== 200 || floor.status !== 200)
    return `${one.name} answered ${ours.status}, its floor ${floor.status}`;
  if (!one.isRight(JSON.parse(ours.text))) return `${one.name} does not answer what it should`;
  const apart = Math.abs(ours.text.length - floor.text.length) / ours.text.length;
  const isSame = !one.floor.startsWith("/api/rows") || apart <= BYTES_APART;
  return isSame ? null : `${one.name} sends ${ours.text.length} bytes, its floor ${floor.text.length}`;
}

async function measurePair(
  house: BenchHouse,
  one: ReadCall,
  connections: number,
  size: BenchOptions["size"],
): Promise<Pair> {
  const { rounds: count, forMs, warmMs, budgetMs } = SIZES[size];
  const targets = targetsOf(house, one);
  for (const target of Object.values(targets)) await load(target, connections, warmMs);
  const rounds = await interleave(
    {
      ours: () => load(targets.ours, connections, forMs),
      anchor: () => load(targets.floor, connections, forMs),
    },
    { rounds: count, budgetMs },
  );
  const p99 = percentile(timesOf(rounds.ours), 99) / percentile(timesOf(rounds.anchor), 99);
  return {
    ...{ name: one.name, connections, rounds, p99 },
    p50: ratioOf(rounds.ours.map(p50Of), rounds.anchor.map(p50Of)),
    cpu: ratioOf(rounds.ours.map(cpuOf), rounds.anchor.map(cpuOf)),
    isNoisy: isTooNoisy(rounds, p50Of),
  };
}

const rangeOf = ({ low, high }: Ratio): string => `${round(low, 2)}–${round(high, 2)}`;

function rowOf({ name, connections, rounds, p50, p99, cpu, isNoisy }: Pair): (string | number)[] {
  const [ours, floor] = [timesOf(rounds.ours), timesOf(rounds.anchor)];
  return [
    name,
    connections,
    round(median(ours), 2),
    round(median(floor), 2),
    round(p50.median, 2),
    rangeOf(p50),
    round(p99, 2),
    round(cpu.median, 2),
    isNoisy ? "noisy" : "",
  ];
}

const HEAD = ["call", "conn.", "ms", "floor ms", "p50 ×", "range", "p99 ×", "CPU ×", ""];

function judge(pairs: readonly Pair[]): { verdict: Verdict; because: string } {
  const clear = pairs.filter(({ isNoisy }) => !isNoisy);
  const noisy = pairs.length - clear.length;
  if (noisy > pairs.length * NOISY_MOST) {
    return { verdict: "inconclusive", because: `${noisy} of ${pairs.length} pairs differ from themselves too much` };
  }
  const over = clear.filter(({ p50, p99 }) => p50.high > TARGET || p99 > TARGET);
  const because = `${clear.length - over.length} of ${clear.length} pairs within ${TARGET} × at p50 and p99`;
  return { verdict: over.length === 0 ? "met" : "missed", because };
}

async function run({ size, seed, say }: BenchOptions): Promise<BenchResult> {
  say("building and starting the product and the bare Next app …");
  const house = await openHouse();
  try {
    const calls = readCalls(house);
    for (const one of calls) {
      const because = await wrongIn(house, one);
      if (because !== null) return { verdict: "wrong", because, table: [], figures: {} };
    }
    const pairs: Pair[] = [];
    const first = seed % calls.length;
    for (const connections of SIZES[size].connections) {
      for (const one of [...calls.slice(first), ...calls.slice(0, first)]) {
        say(`${one.name}, ${connections} at a time`);
        pairs.push(await measurePair(house, one, connections, size));
      }
    }
    const figures = {
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
    return { ...judge(pairs), table: [HEAD, ...pairs.map(rowOf)], figures };
  } finally {
    await house.stop();
  }
}

/** `npm run bench -- api` (A-37, QUALITY §1d). */
export const apiBench: Bench = {
  name: "api",
  what: "each documented read call beside a bare Next route with one query; aim: at most 1.5 × at p50 and p99",
  run,
};
