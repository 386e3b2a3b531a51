import type { Random } from "#tests/support/random.ts";
import type { Ask, Slots } from "./asks.ts";
import type { Person } from "./crew.ts";
import type { Hold } from "./holds.ts";
import type { World } from "./world.ts";

const CATCH_MS = 45_000;
const PATIENCE_MS = 2_500;
const NUDGE_MS = 61_000;

/**
 * Waits until something has come about. Where nothing moves, the clocks go on by a minute: a run whose answer was on
 * its way while they were moved sleeps for too long by their measure.
 */
export async function nudgedUntil({ proxies, clocks }: World, has: (ms: number) => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + CATCH_MS;
  while (!(await has(PATIENCE_MS))) {
    if (performance.now() > deadline) return false;
    if (proxies.pinterest.inFlight() + proxies.openAi.inFlight() === 0) await clocks.pass(NUDGE_MS);
  }
  return true;
}

/** Waits until something stands still at an edge. */
export const awaitCaught = (world: World, hold: Hold): Promise<boolean> => nudgedUntil(world, hold.caught);

/** Where pins are when a fault strikes: while they are made, or while they are scheduled and published. */
export type Phase = "making" | "publishing";

/** What a fault has to do with: its part of the pins, and the people they belong to. */
export interface Scene {
  world: World;
  asks: readonly Ask[];
  people: readonly Person[];
  random: Random;
  /** When the pins of this scene are wanted; of no meaning while they are made. */
  slots: Slots;
  /** Counts an injection: a process killed, a reply cut, a connection refused … */
  injected(times?: number): void;
  /** A fault that could not be brought about, or a promise that was broken in a way no row shows. */
  complain(problem: string): void;
}

/** One way in which the world goes wrong. Hooks are called in this order; each one must end by itself. */
export interface Fault {
  name: string;
  /** One line for the list. */
  what: string;
  phase: Phase;
  /** Touches nothing but its own people, so that several can strike at once. */
  isLocal?: boolean;
  /** Why it cannot be brought about here, if so. */
  unable?(): Promise<string | undefined>;
  /** Other slots than the usual ones. */
  slots?(world: World): Slots;
  /** Before anything is asked for. */
  arm?(scene: Scene): Promise<void>;
  /** Instead of pressing the button once. */
  begin?(scene: Scene): Promise<void>;
  /** While the pins are on their way; publishing: once the first ones are due. */
  strike?(scene: Scene): Promise<void>;
  /** Ends what does not end by itself, so that everything may come to its end. Called in any case. */
  heal?(scene: Scene): Promise<void>;
  /** After all has settled. Called in any case. */
  clear?(scene: Scene): Promise<void>;
}
