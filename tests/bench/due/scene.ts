import { createRandom } from "#tests/support/random.ts";

/** When the pins of a scene are due, in milliseconds from its first moment. */
export interface Scene {
  name: string;
  offsetsMs: readonly number[];
  /** How many more are scheduled for hours later and wait meanwhile. */
  waiting: number;
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

/** When those are due that only wait: not before a scene has long ended. */
const WAITING_MS = 6 * 60 * 60_000;

/** The offsets of all pins of a scene, those that wait last. */
export const allOffsetsMs = ({ offsetsMs, waiting }: Scene): number[] => [
  ...offsetsMs,
  ...Array.from({ length: waiting }, () => WAITING_MS),
];

/** Pins spread by lot over ten seconds, pins due at one instant, and a few that become due while many wait. */
export const scenesOf = (size: "full" | "small", seed: number): Scene[] => {
  const [spread, atOnce, few, waiting] = size === "full" ? [1_000, 10_000, 100, 10_000] : [100, 300, 20, 500];
  const random = createRandom(seed);
  const lots = (count: number) => Array.from({ length: count }, () => random.below(SPREAD_OVER_MS));
  return [
    { name: `${spread} over 10 s`, offsetsMs: lots(spread), waiting: 0, aimMs: 250 },
    { name: `${atOnce} at once`, offsetsMs: Array.from({ length: atOnce }, () => 0), waiting: 0, aimMs: 1_000 },
    { name: `${few} over 10 s, ${waiting} waiting`, offsetsMs: lots(few), waiting, aimMs: 1_000 },
  ];
};
