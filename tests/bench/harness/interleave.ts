import { median, NOISE_MAX, noiseOf } from "./statistics.ts";

/** A short run of a contender: its total CPU time and individual durations, in milliseconds. */
export type Sample = { cpuMs: number; timesMs: readonly number[] };

/** Repeats something in this process and measures it. */
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

/** The four runs of a round: ours, the reference, ours again, and the baseline. */
export type Contenders = {
  ours(): Promise<Sample>;
  reference(): Promise<Sample>;
  baseline?(): Promise<Sample>;
};

export type Rounds = Record<"ours" | "reference" | "again" | "baseline", Sample[]>;

const ORDER = ["ours", "reference", "again", "baseline"] as const;

/**
 * Runs them alternately, each round starting with another one, until the rounds or the time are used up; at least two
 * rounds. Runs should be short and, where state matters, in fresh processes.
 */
export async function interleave(
  contenders: Contenders,
  bounds: { rounds: number; budgetMs: number },
): Promise<Rounds> {
  const rounds: Rounds = { ours: [], reference: [], again: [], baseline: [] };
  const run = { ...contenders, again: contenders.ours, baseline: contenders.baseline ?? (async () => undefined) };
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

/** The minimum CPU time of a contender: other processes can only add to it. */
export const minCpuMs = (samples: readonly Sample[]): number => Math.min(...samples.map(({ cpuMs }) => cpuMs));

/** All durations of all rounds. */
export const timesOf = (samples: readonly Sample[]): number[] => samples.flatMap(({ timesMs }) => timesMs);

/** Whether our two runs differ by more than the noise limit; then the result is inconclusive. */
export function isTooNoisy({ ours, again }: Rounds, of: (sample: Sample) => number): boolean {
  return noiseOf(median(ours.map(of)), median(again.map(of))) > NOISE_MAX;
}
