import { createRandom, type Random } from "#tests/support/random.ts";
import { databaseFaults } from "./database-faults.ts";
import { diskFaults } from "./disk-fault.ts";
import { edgeFaults } from "./edges.ts";
import type { Fault, Phase } from "./fault.ts";
import { orderFaults } from "./order-faults.ts";
import { providerFaults } from "./provider-faults.ts";

/** Every fault there is, in the order of the list. */
export const catalogue: readonly Fault[] = [
  ...edgeFaults,
  ...databaseFaults,
  ...providerFaults,
  ...orderFaults,
  ...diskFaults,
];

/** Faults that strike at the same time, each among people of its own. */
export type Wave = readonly Fault[];

/** What a run does, in this order. The same seed and names give the same plan. */
export interface Plan {
  seed: number;
  making: Wave[];
  publishing: Wave[];
}

/** People per fault that strikes together with others. */
const PEOPLE_EACH = 2;

/** Puts these faults in a random order, local ones together as far as the people go. */
export function planRun(faults: readonly Fault[], seed: number, people: number): Plan {
  const random = createRandom(seed);
  const wavesOf = (phase: Phase): Wave[] => {
    const chosen = faults.filter((fault) => fault.phase === phase);
    const mine = random.shuffled(chosen.length > 0 ? chosen : namedFaults([`none-${phase}`]));
    const alone = mine.filter(({ isLocal }) => !isLocal).map((fault): Wave => [fault]);
    const local = mine.filter(({ isLocal }) => isLocal);
    const perWave = Math.max(1, Math.floor(people / PEOPLE_EACH));
    const together = chunked(local, perWave);
    // First what brings the most faults in the least time.
    return [...together, ...random.shuffled(alone)];
  };
  return { seed, making: wavesOf("making"), publishing: wavesOf("publishing") };
}

function chunked<T>(list: readonly T[], size: number): T[][] {
  const chunks: T[][] = [];
  for (let from = 0; from < list.length; from += size) chunks.push(list.slice(from, from + size));
  return chunks;
}

/** How many faults of a kind the short run takes. All that are local cost hardly more than one. */
const SHORT: readonly { of: (fault: Fault) => boolean; count: number }[] = [
  { of: ({ name, phase }) => name.startsWith("kill-") && phase === "making", count: 2 },
  { of: ({ name, phase }) => name.startsWith("kill-") && phase === "publishing", count: 2 },
  { of: ({ name }) => databaseFaults.some((fault) => fault.name === name), count: 2 },
  { of: ({ isLocal }) => isLocal === true, count: 20 },
  {
    of: ({ name, isLocal }) =>
      !isLocal && name !== "none-making" && [...orderFaults, ...diskFaults].some((fault) => fault.name === name),
    count: 1,
  },
];

/** The faults of a short run: some of each kind, others for each seed. */
export function pickShort(seed: number): Fault[] {
  const random: Random = createRandom(seed);
  return SHORT.flatMap(({ of, count }) => random.shuffled(catalogue.filter(of)).slice(0, count));
}

/** The faults of these names. @throws Error naming one that does not exist */
export function namedFaults(names: readonly string[]): Fault[] {
  return names.map((name) => {
    const found = catalogue.find((fault) => fault.name === name);
    if (!found) throw new Error(`There is no fault called "${name}"; --list names them all.`);
    return found;
  });
}
