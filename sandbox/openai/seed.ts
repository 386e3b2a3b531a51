import { setTimeout as delay } from "node:timers/promises";

/** Deterministic chance: everything this stand-in makes up is a function of the text it was given. */

/** A 32-bit FNV-1a hash of a text, finished so that near texts land far apart. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (const char of text) {
    hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** A source of numbers in [0, 1); the same seed gives the same sequence. */
type Random = () => number;

/** mulberry32, the generator the poster geometry was designed with. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** One element of a non-empty list. */
export function pick<T>(random: Random, list: readonly [T, ...T[]] | readonly T[]): T {
  const chosen = list[Math.floor(random() * list.length)];
  if (chosen === undefined) throw new Error("pick: the list is empty");
  return chosen;
}

/** How long answers take: `ms`, give or take the share `spread` of it by prompt. */
export type Latency = { ms: number; spread: number };

/** The latency of one prompt, the same each time. */
export function latencyOf(prompt: string, { ms, spread }: Latency): number {
  const aside = createRandom(hashText(`latency ${prompt}`))() * 2 - 1;
  return Math.round(ms * (1 + aside * spread));
}

/** Runs `work`, and answers no sooner than the latency of the prompt asks. */
export async function withLatency<T>(prompt: string, latency: Latency, work: () => T | Promise<T>): Promise<T> {
  const [result] = await Promise.allSettled([work(), delay(latencyOf(prompt, latency), undefined, { ref: false })]);
  if (result.status === "rejected") throw result.reason;
  return result.value;
}
