import { createRandom } from "#tests/support/random.ts";

/** Due times in milliseconds from the start of the scenario. */
export interface Scenario {
  name: string;
  offsetsMs: readonly number[];
  /** Additional pins, due hours later, that wait in the meantime. */
  waiting: number;
  /** Target for the 99th percentile of the delay. */
  targetMs: number;
}

/** The delay of each pin, and errors. Negative delays are early. */
export interface Lateness {
  lateMs: readonly number[];
  missing: number;
  twice: number;
  /** CPU time of the app's process for each pin, from 40 seconds before the first is due. */
  cpuMsPerPin?: number;
}

const SPREAD_OVER_MS = 10_000;

/** Due time of waiting pins: long after a scenario has ended. */
const WAITING_MS = 6 * 60 * 60_000;

/** The offsets of all pins, waiting ones last. */
export const allOffsetsMs = ({ offsetsMs, waiting }: Scenario): number[] => [
  ...offsetsMs,
  ...Array.from({ length: waiting }, () => WAITING_MS),
];

/** Pins spread randomly over ten seconds, pins due all at once, and a few due while many wait. */
export const scenariosOf = (size: "full" | "small", seed: number): Scenario[] => {
  const [spread, atOnce, few, waiting] = size === "full" ? [1_000, 10_000, 100, 10_000] : [100, 300, 20, 500];
  const random = createRandom(seed);
  const lots = (count: number) => Array.from({ length: count }, () => random.below(SPREAD_OVER_MS));
  return [
    { name: `${spread} over 10 s`, offsetsMs: lots(spread), waiting: 0, targetMs: 250 },
    { name: `${atOnce} at once`, offsetsMs: Array.from({ length: atOnce }, () => 0), waiting: 0, targetMs: 1_000 },
    { name: `${few} over 10 s, ${waiting} waiting`, offsetsMs: lots(few), waiting, targetMs: 1_000 },
  ];
};
