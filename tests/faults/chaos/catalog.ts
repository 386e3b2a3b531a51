import { createRandom, type Random } from "#tests/support/random.ts";
import { crashFaults } from "./crash-faults.ts";
import { databaseFaults } from "./database-faults.ts";
import { diskFaults } from "./disk-fault.ts";
import type { Fault, Phase } from "./fault.ts";
import { importFaults } from "./import-faults.ts";
import { instanceFaults } from "./instance-faults.ts";
import { moveFaults } from "./move-faults.ts";
import { orderFaults } from "./order-faults.ts";
import { providerFaults } from "./provider-faults.ts";
import { videoFaults } from "./video-faults.ts";

/** Every fault, in the order of `--list`. */
export const catalog: readonly Fault[] = [
  ...crashFaults,
  ...importFaults,
  ...databaseFaults,
  ...providerFaults,
  ...orderFaults,
  ...moveFaults,
  ...diskFaults,
  ...videoFaults,
];

/** Every fault that can be injected when this many processes of the app run. */
export const catalogOf = (instances: number): readonly Fault[] =>
  instances > 1 ? [...catalog, ...instanceFaults] : catalog;

/** Faults that are injected at the same time, each for different users. */
export type Wave = readonly Fault[];

/** The waves of a run. The same seed and names give the same plan. */
export interface Plan {
  seed: number;
  generation: Wave[];
  publishing: Wave[];
}

/** Users per fault in a wave of several. */
const USERS_PER_FAULT = 2;

/** Puts the faults in random order, combining local ones as far as there are users. */
export function planRun(faults: readonly Fault[], seed: number, testUsers: number): Plan {
  const random = createRandom(seed);
  const wavesOf = (phase: Phase): Wave[] => {
    const chosen = faults.filter((fault) => fault.phase === phase);
    const shuffled = random.shuffled(chosen.length > 0 ? chosen : namedFaults([`none-${phase}`]));
    const alone = shuffled.filter(({ isLocal }) => !isLocal).map((fault): Wave => [fault]);
    const local = shuffled.filter(({ isLocal }) => isLocal);
    const perWave = Math.max(1, Math.floor(testUsers / USERS_PER_FAULT));
    const together = chunked(local, perWave);
    // Start with the waves that contain the most faults.
    return [...together, ...random.shuffled(alone)];
  };
  return { seed, generation: wavesOf("generation"), publishing: wavesOf("publishing") };
}

function chunked<T>(list: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let from = 0; from < list.length; from += size) chunks.push(list.slice(from, from + size));
  return chunks;
}

/** How many faults of each kind a short run takes. Local ones cost hardly more than a single one. */
const SHORT: readonly { of: (fault: Fault) => boolean; count: number }[] = [
  { of: ({ name, phase }) => name.startsWith("kill-") && phase === "generation", count: 2 },
  { of: ({ name, phase }) => name.startsWith("kill-") && phase === "publishing", count: 2 },
  { of: ({ name }) => databaseFaults.some((fault) => fault.name === name), count: 2 },
  { of: ({ isLocal }) => isLocal === true, count: 20 },
  {
    of: ({ name, isLocal }) =>
      !isLocal &&
      name !== "none-generation" &&
      [...orderFaults, ...diskFaults, ...videoFaults].some((fault) => fault.name === name),
    count: 1,
  },
];

/** The faults of a short run: some of each kind, others for each seed. */
export function pickShort(seed: number): Fault[] {
  const random: Random = createRandom(seed);
  return SHORT.flatMap(({ of, count }) => random.shuffled(catalog.filter(of)).slice(0, count));
}

/** @throws Error for an unknown name */
export function namedFaults(names: readonly string[]): Fault[] {
  return names.map((name) => {
    const found = [...catalog, ...instanceFaults].find((fault) => fault.name === name);
    if (!found) throw new Error(`There is no fault called "${name}"; --list names them all.`);
    return found;
  });
}
