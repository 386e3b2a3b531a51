import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";
import { inRepository } from "#scripts/root.ts";
import { ATTACKS } from "#tests/support/video-pages-seeded/attacks.ts";
import type { Bench, BenchOptions, BenchResult, Verdict } from "../harness/bench.ts";
import { round } from "../harness/statistics.ts";

const TARGET_MS = 1_000;
/** The largest page that must be handled within the time limit. */
const MAX_LENGTH = 5_000_000;
const TARGET_GROWTH = 2.6;
/** Times below this say nothing about growth. */
const MIN_MEASURABLE_MS = 8;
/**
 * How often an attack that seems to grow too fast is repeated: other processes can only add time, so the minimum
 * counts.
 */
const MAX_RUNS = 3;
const DEADLINE_MS = 60_000;
const SIZES = { full: [2_500_000, 5_000_000, 10_000_000], small: [125_000, 250_000, 500_000] } as const;
const MUTANTS = { full: 10_000, small: 500 } as const;

const run = promisify(execFile);
const attackSchema = z.object({
  sizes: z.array(z.object({ length: z.number(), maxMs: z.number(), minMs: z.number(), fault: z.string().nullable() })),
});
const mutantSchema = z.object({ faults: z.array(z.string()), slowestMs: z.number() });

const runWorker = async (...args: string[]): Promise<unknown> => {
  const worker = inRepository("tests", "bench", "hostile-html", "worker.ts");
  const { stdout } = await run(process.execPath, ["--conditions=react-server", worker, ...args], {
    timeout: DEADLINE_MS,
  });
  return JSON.parse(stdout);
};

interface AttackResult {
  name: string;
  timesMs: number[];
  maxMs: number;
  growth: number | null;
  fault: string | null;
}

/**
 * Growth from the middle size to the largest; null if even the largest was too fast to measure. Smaller sizes are
 * excluded because of a length limit for values between them, which causes a step.
 */
const growthOf = (timesMs: readonly number[]): number | null => {
  const [last = 0, before = 0] = timesMs.toReversed();
  return last >= MIN_MEASURABLE_MS && before > 0 ? last / before : null;
};

const runAttack = async (name: string, lengths: readonly number[]): Promise<AttackResult> => {
  try {
    const { sizes } = attackSchema.parse(await runWorker("attack", name, ...lengths.map(String)));
    const timesMs = sizes.map(({ minMs }) => minMs);
    const fault = sizes.find((item) => item.fault !== null)?.fault ?? null;
    return {
      name,
      timesMs,
      maxMs: Math.max(...sizes.filter(({ length }) => length <= MAX_LENGTH).map(({ maxMs }) => maxMs)),
      growth: growthOf(timesMs),
      fault,
    };
  } catch (error) {
    const fault = `no result: ${String(error).slice(0, 200)}`;
    return { name, timesMs: [], maxMs: Number.POSITIVE_INFINITY, growth: null, fault };
  }
};

const isGrowing = ({ growth }: AttackResult): boolean => growth !== null && growth >= TARGET_GROWTH;

/** The combined result of repeated measurements. */
const combine = (item: AttackResult, other: AttackResult): AttackResult => {
  const timesMs = item.timesMs.map((ms, at) => Math.min(ms, other.timesMs[at] ?? ms));
  const maxMs = Math.max(item.maxMs, other.maxMs);
  return { ...item, timesMs, maxMs, growth: growthOf(timesMs), fault: item.fault ?? other.fault };
};

const measureAttack = async (name: string, lengths: readonly number[]): Promise<AttackResult> => {
  let result = await runAttack(name, lengths);
  for (let nth = 1; nth < MAX_RUNS && isGrowing(result); nth += 1)
    result = combine(result, await runAttack(name, lengths));
  return result;
};

const evaluate = (
  all: readonly AttackResult[],
  mutants: z.infer<typeof mutantSchema>,
): { verdict: Verdict; reason: string } => {
  const wrong = [...all.flatMap(({ name, fault }) => (fault ? [`${name}: ${fault}`] : [])), ...mutants.faults];
  if (wrong.length > 0) return { verdict: "wrong", reason: wrong.slice(0, 5).join("; ") };
  const slow = all.filter((item) => item.maxMs > TARGET_MS || isGrowing(item));
  if (slow.length > 0)
    return { verdict: "missed", reason: `too slow or growing too fast: ${slow.map(({ name }) => name).join(", ")}` };
  const most = Math.max(...all.map(({ maxMs }) => maxMs));
  return {
    verdict: "met",
    reason: `every result correct, the slowest after ${round(most)} CPU ms (target ${TARGET_MS}), no crash`,
  };
};

const measure = async ({ size, seed, log }: BenchOptions): Promise<BenchResult> => {
  const lengths = SIZES[size];
  const all: AttackResult[] = [];
  for (const { name } of ATTACKS) {
    log(name);
    all.push(await measureAttack(name, lengths));
  }
  log(`${MUTANTS[size]} mutants of seed ${seed}`);
  const mutants = mutantSchema.parse(await runWorker("mutants", String(seed), String(MUTANTS[size])));
  return {
    ...evaluate(all, mutants),
    table: [
      ["attack", ...lengths.map((length) => `${length / 1e6} MB, CPU ms`), "slowest up to 5 MB", "growth when doubled"],
      ...all.map(({ name, timesMs, maxMs, growth }) => [
        name,
        ...lengths.map((_, index) => round(timesMs[index] ?? Number.NaN)),
        round(maxMs),
        growth === null ? "" : round(growth, 2),
      ]),
      [`${MUTANTS[size]} mutants`, "", "", "", round(mutants.slowestMs), ""],
    ],
    metrics: { attacks: all, mutants },
  };
};

export const hostileHtmlBench: Bench = {
  name: "hostile-html",
  what: `hand-made attacks of growing size, and mutated pages; targets: a result within ${TARGET_MS} ms at 5 MB, time(2n)/time(n) < ${TARGET_GROWTH}, no crash`,
  run: measure,
};
