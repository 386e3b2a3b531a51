/** A bench's verdict. `wrong`: the results were incorrect, whatever the speed; `inconclusive`: too noisy. */
export type Verdict = "met" | "missed" | "wrong" | "inconclusive";

/** Exit codes of `npm run bench`; 4 if a bench could not run. */
export const EXIT_CODES: Record<Verdict, number> = { met: 0, missed: 1, wrong: 2, inconclusive: 3 };
export const COULD_NOT_RUN = 4;

export interface BenchOptions {
  /** `small` takes seconds, but its numbers mean little. */
  size: "full" | "small";
  /** Seed for everything random, so that tuning to one case shows. */
  seed: number;
  /** Prints a line of progress. */
  log(line: string): void;
}

export interface BenchResult {
  verdict: Verdict;
  /** The reason in one sentence. */
  reason: string;
  /** The first row contains the column names. */
  table: (string | number)[][];
  /** The same data for programs, added to the JSON line. */
  metrics: Record<string, unknown>;
  /** The bench has already retried; do not retry an inconclusive result. */
  isFinal?: boolean;
}

/** A bench: `npm run bench -- NAME`. */
export interface Bench {
  name: string;
  /** What is compared with what, and the target. */
  what: string;
  run(options: BenchOptions): Promise<BenchResult>;
}
