import { median, NOISE_MAX, noiseOf } from "./statistics.ts";

/** One short run of a contender: CPU of all it used, and whatever times it took. Milliseconds. */
export type Sample = { cpuMs: number; timesMs: readonly number[] };

/** Does something so often, one after the other, in this process. */
export const sampleOf = async (calls: number, act: () => Promise<unknown>): Promise<Sample> => {
  const timesMs: number[] = [];
  const cpu = process.cpuUsage();
  for (let nth = 0; nth < calls; nth += 1) {
    const begunMs = performance.now();
    await act();
    timesMs.push(performance.now() - begunMs);
  }
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1_000, timesMs };
};

/** The four of a round: ours, what it is held against, ours again, and what is physically possible. */
export type Contenders = {
  ours(): Promise<Sample>;
  anchor(): Promise<Sample>;
  floor?(): Promise<Sample>;
};

export type Rounds = Record<"ours" | "anchor" | "again" | "floor", Sample[]>;

const ORDER = ["ours", "anchor", "again", "floor"] as const;

/**
 * Runs all of them in turn, each round beginning with another one, until the rounds or the time are used up; at least
 * two rounds. Runs are expected to be short and, where state matters, in fresh processes.
 */
export async function interleave(
  contenders: Contenders,
  bounds: { rounds: number; budgetMs: number },
): Promise<Rounds> {
  const rounds: Rounds = { ours: [], anchor: [], again: [], floor: [] };
  const run = { ...contenders, again: contenders.ours, floor: contenders.floor ?? (async () => undefined) };
  const begunMs = performance.now();
  for (let round = 0; round < bounds.rounds; round += 1) {
    if (round >= 2 && performance.now() - begunMs > bounds.budgetMs) break;
    const first = round % ORDER.length;
    for (const name of [...ORDER.slice(first), ...ORDER.slice(0, first)]) {
      const sample = await run[name]();
      if (sample) rounds[name].push(sample);
    }
  }
  return rounds;
}

/** The least CPU that a contender needed: what others did on the machine only ever adds to it. */
export const leastCpuMs = (samples: readonly Sample[]): number => Math.min(...samples.map(({ cpuMs }) => cpuMs));

/** All times of all rounds. */
export const timesOf = (samples: readonly Sample[]): number[] => samples.flatMap(({ timesMs }) => timesMs);

/** Whether we differ from ourselves by more than noise may: then nothing is to be concluded from the round. */
export function isTooNoisy({ ours, again }: Rounds, of: (sample: Sample) => number): boolean {
  return noiseOf(median(ours.map(of)), median(again.map(of))) > NOISE_MAX;
}
