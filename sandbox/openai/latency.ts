import { setTimeout as delay } from "node:timers/promises";
import { createRandom, hashText } from "./seed.ts";

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
