import { setTimeout as delay } from "node:timers/promises";

/** Deterministic randomness: everything this stand-in makes up depends only on its input. */

/** A 32-bit FNV-1a hash, mixed so that similar texts get different values. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (const char of text) {
    hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** Numbers in [0, 1); the same seed gives the same sequence. */
type Random = () => number;

export function createRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function pick<T>(random: Random, list: readonly [T, ...T[]] | readonly T[]): T {
  const chosen = list[Math.floor(random() * list.length)];
  if (chosen === undefined) throw new Error("pick: the list is empty");
  return chosen;
}

/** Response time in `ms`, varied by the share `spread` per prompt. */
type Latency = { ms: number; spread: number };

/** The latency of a prompt, the same each time. */
export function latencyOf(prompt: string, { ms, spread }: Latency): number {
  const offset = createRandom(hashText(`latency ${prompt}`))() * 2 - 1;
  return Math.round(ms * (1 + offset * spread));
}

/** Runs `work` and responds no sooner than the prompt's latency. */
export async function withLatency<T>(prompt: string, latency: Latency, work: () => T | Promise<T>): Promise<T> {
  const [result] = await Promise.allSettled([work(), delay(latencyOf(prompt, latency), undefined, { ref: false })]);
  if (result.status === "rejected") throw result.reason;
  return result.value;
}
