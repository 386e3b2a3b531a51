import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { z } from "zod";
import { inRepository } from "#scripts/root.ts";
import { ATTACKS } from "#tests/support/video-pages-seeded/attacks.ts";
import type { Bench, BenchOptions, BenchResult, Verdict } from "../harness/bench.ts";
import { round } from "../harness/statistics.ts";

const AIM_MS = 1_000;
/** The largest page that has to be answered within that time. */
const JUDGED_LENGTH = 5_000_000;
const AIM_GROWTH = 2.6;
/** A time below this says nothing about growth. */
const LEAST_TELLING_MS = 8;
/** Looks at an attack that seems to grow too fast: other work only ever adds to a time, so the least of each counts. */
const LOOKS = 3;
const DEADLINE_MS = 60_000;
const SIZES = { full: [2_500_000, 5_000_000, 10_000_000], small: [125_000, 250_000, 500_000] } as const;
const MUTANTS = { full: 10_000, small: 500 } as const;

const run = promisify(execFile);
const attackFigures = z.object({
  sizes: z.array(
    z.object({ length: z.number(), mostMs: z.number(), leastMs: z.number(), fault: z.string().nullable() }),
  ),
});
const mutantFigures = z.object({ faults: z.array(z.string()), slowestMs: z.number() });

const work = async (...args: string[]): Promise<unknown> => {
  const worker = inRepository("tests", "bench", "hostile-html", "worker.ts");
  const { stdout } = await run(process.execPath, ["--conditions=react-server", worker, ...args], {
    timeout: DEADLINE_MS,
  });
  return JSON.parse(stdout);
};

interface Found {
  name: string;
  timesMs: number[];
  mostMs: number;
  growth: number | null;
  fault: string | null;
}

/**
 * From the middle size to the largest; null where even the largest took too little time to tell. Between the smaller
 * ones lies the bound beyond which a value is no value: a step in how a page is read, which is no growth.
 */
const growthOf = (timesMs: readonly number[]): number | null => {
  const [last = 0, before = 0] = timesMs.toReversed();
  return last >= LEAST_TELLING_MS && before > 0 ? last / before : null;
};

const attackBy = async (name: string, lengths: readonly number[]): Promise<Found> => {
  try {
    const { sizes } = attackFigures.parse(await work("attack", name, ...lengths.map(String)));
    const timesMs = sizes.map(({ leastMs }) => leastMs);
    const fault = sizes.find((one) => one.fault !== null)?.fault ?? null;
    return {
      name,
      timesMs,
      mostMs: Math.max(...sizes.filter(({ length }) => length <= JUDGED_LENGTH).map(({ mostMs }) => mostMs)),
      growth: growthOf(timesMs),
      fault,
    };
  } catch (error) {
    const fault = `no answer: ${String(error).slice(0, 200)}`;
    return { name, timesMs: [], mostMs: Number.POSITIVE_INFINITY, growth: null, fault };
  }
};

const isGrowing = ({ growth }: Found): boolean => growth !== null && growth >= AIM_GROWTH;

/** What two looks at an attack found. */
const lesserOf = (one: Found, other: Found): Found => {
  const timesMs = one.timesMs.map((ms, at) => Math.min(ms, other.timesMs[at] ?? ms));
  const mostMs = Math.max(one.mostMs, other.mostMs);
  return { ...one, timesMs, mostMs, growth: growthOf(timesMs), fault: one.fault ?? other.fault };
};

const look = async (name: string, lengths: readonly number[]): Promise<Found> => {
  let found = await attackBy(name, lengths);
  for (let nth = 1; nth < LOOKS && isGrowing(found); nth += 1) found = lesserOf(found, await attackBy(name, lengths));
  return found;
};

const judge = (
  all: readonly Found[],
  mutants: z.infer<typeof mutantFigures>,
): { verdict: Verdict; because: string } => {
  const wrong = [...all.flatMap(({ name, fault }) => (fault ? [`${name}: ${fault}`] : [])), ...mutants.faults];
  if (wrong.length > 0) return { verdict: "wrong", because: wrong.slice(0, 5).join("; ") };
  const slow = all.filter((one) => one.mostMs > AIM_MS || isGrowing(one));
  if (slow.length > 0)
    return { verdict: "missed", because: `too slow or growing too fast: ${slow.map(({ name }) => name).join(", ")}` };
  const most = Math.max(...all.map(({ mostMs }) => mostMs));
  return {
    verdict: "met",
    because: `every answer right, the slowest after ${round(most)} CPU ms (aim ${AIM_MS}), none crashed`,
  };
};

const measure = async ({ size, seed, say }: BenchOptions): Promise<BenchResult> => {
  const lengths = SIZES[size];
  const all: Found[] = [];
  for (const { name } of ATTACKS) {
    say(name);
    all.push(await look(name, lengths));
  }
  say(`${MUTANTS[size]} mutants of seed ${seed}`);
  const mutants = mutantFigures.parse(await work("mutants", String(seed), String(MUTANTS[size])));
  return {
    ...judge(all, mutants),
    table: [
      ["attack", ...lengths.map((length) => `${length / 1e6} MB, CPU ms`), "slowest up to 5 MB", "growth when doubled"],
      ...all.map(({ name, timesMs, mostMs, growth }) => [
        name,
        ...lengths.map((_, index) => round(timesMs[index] ?? Number.NaN)),
        round(mostMs),
        growth === null ? "" : round(growth, 2),
      ]),
      [`${MUTANTS[size]} mutants`, "", "", "", round(mutants.slowestMs), ""],
    ],
    figures: { attacks: all, mutants },
  };
};

export const hostileHtmlBench: Bench = {
  name: "hostile-html",
  what: `shaped attacks of growing size and mutated pages; aims an answer within ${AIM_MS} ms at 5 MB, time(2n)/time(n) < ${AIM_GROWTH}, no crash`,
  run: measure,
};
