import { createRandom } from "#tests/support/random.ts";

/** When the pins of a scene are due, in milliseconds from its first moment. */
export interface Scene {
  name: string;
  offsetsMs: readonly number[];
  /** The aim for the 99th percentile of lateness. */
  aimMs: number;
}

/** How late each one was, and what went wrong. Negative is early. */
export interface Lateness {
  lateMs: readonly number[];
  missing: number;
  twice: number;
}

const SPREAD_OVER_MS = 10_000;

/** Pins spread by lot over ten seconds, and pins due at one instant. */
export const scenesOf = (size: "full" | "small", seed: number): Scene[] => {
  const [spread, atOnce] = size === "full" ? [1_000, 10_000] : [100, 300];
  const random = createRandom(seed);
  const lots = Array.from({ length: spread }, () => random.below(SPREAD_OVER_MS));
  return [
    { name: `${spread} over 10 s`, offsetsMs: lots, aimMs: 250 },
    { name: `${atOnce} at once`, offsetsMs: Array.from({ length: atOnce }, () => 0), aimMs: 1_000 },
  ];
};
