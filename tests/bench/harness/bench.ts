/** What a bench found. `wrong`: the work was not done right, whatever its speed; `inconclusive`: noise hides the answer. */
export type Verdict = "met" | "missed" | "wrong" | "inconclusive";

/** Exit codes of `npm run bench`; 4 when a bench could not run at all. */
export const EXIT_CODES: Record<Verdict, number> = { met: 0, missed: 1, wrong: 2, inconclusive: 3 };
export const COULD_NOT_RUN = 4;

export interface BenchOptions {
  /** `small` for a look within seconds; its figures say little. */
  size: "full" | "small";
  /** Of whatever is drawn by lot: tuning to one page or one order shows with another seed. */
  seed: number;
  /** A line of progress. */
  say(line: string): void;
}

export interface BenchResult {
  verdict: Verdict;
  /** Why, in one sentence. */
  because: string;
  /** The first row names the columns. */
  table: (string | number)[][];
  /** The same for machines; becomes part of the JSON line. */
  figures: Record<string, unknown>;
  /** It has looked twice itself where it had to: an inconclusive one is not tried again. */
  isFinal?: boolean;
}

/** One dimension: `npm run bench -- NAME`. */
export interface Bench {
  name: string;
  /** What is measured beside what, and the aim. */
  what: string;
  run(options: BenchOptions): Promise<BenchResult>;
}
