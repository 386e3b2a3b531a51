import type { Random } from "#tests/support/random.ts";
import type { Hold } from "./holds.ts";
import type { PinRequest, Slots } from "./requests.ts";
import type { TestStack } from "./stack.ts";
import type { TestUser } from "./users.ts";

/** A moment comes late on a slow machine; one that came ends the wait. */
const CATCH_MS = 110_000;
const PATIENCE_MS = 2_500;
const PATIENCE_MAX_MS = 20_000;
const ADVANCE_MS = 61_000;

/**
 * Waits for a condition, advancing the clocks by a minute while nothing is in flight: a run whose response arrived
 * while the clocks moved sleeps too long by its own clock. Ever more rarely: each minute makes steps look silent, and on a
 * busy machine they would start over again and again.
 */
export async function waitAdvancingClock(
  { proxies, clocks }: TestStack,
  has: (ms: number) => Promise<boolean>,
): Promise<boolean> {
  const deadline = performance.now() + CATCH_MS;
  let patienceMs = PATIENCE_MS;
  while (!(await has(patienceMs))) {
    if (performance.now() > deadline) return false;
    patienceMs = Math.min(PATIENCE_MAX_MS, patienceMs * 2);
    if (proxies.pinterest.inFlight() + proxies.openAi.inFlight() === 0) await clocks.pass(ADVANCE_MS);
  }
  return true;
}

/** Waits until a call is held. */
export const waitUntilHeld = (stack: TestStack, hold: Hold): Promise<boolean> => waitAdvancingClock(stack, hold.caught);

/** The process to end: for the app, one of its instances. */
export const victimOf = ({ stack, random }: FaultContext, victim: "app" | "executor"): string => {
  const { instances } = stack.shape;
  return victim === "app" ? (instances[random.below(instances.length)] ?? victim) : victim;
};

/** The phase of pins in which a fault is injected. */
export type Phase = "generation" | "publishing";

/** What a fault works with: its share of the pins, and their users. */
export interface FaultContext {
  stack: TestStack;
  pinRequests: readonly PinRequest[];
  testUsers: readonly TestUser[];
  random: Random;
  /** When the pins should be published; unused during generation. */
  slots: Slots;
  /** Counts injections: a killed process, a cut reply, a refused connection … */
  injected(times?: number): void;
  /** Reports a fault that could not be injected, or a broken guarantee that no row shows. */
  complain(problem: string): void;
}

/** A fault. Hooks are called in this order, and each must end by itself. */
export interface Fault {
  name: string;
  /** One line for the list. */
  what: string;
  phase: Phase;
  /** Affects only its own users, so that several can be injected at once. */
  isLocal?: boolean;
  /** Breaks the folder of the images, which several instances don't have. */
  needsImageFolder?: boolean;
  /** Why it can't be injected here, if so. */
  unsupportedReason?(): Promise<string | undefined>;
  /** Different publishing slots. */
  slots?(stack: TestStack): Slots;
  /** Before anything is requested. */
  arm?(context: FaultContext): Promise<void>;
  /** Replaces the users' request. */
  begin?(context: FaultContext): Promise<void>;
  /** While pins are in progress; for publishing, once the first ones are due. */
  inject?(context: FaultContext): Promise<void>;
  /** Ends a lasting fault, so that everything can finish. Always called. */
  heal?(context: FaultContext): Promise<void>;
  /** After everything has settled. Always called. */
  clear?(context: FaultContext): Promise<void>;
}
