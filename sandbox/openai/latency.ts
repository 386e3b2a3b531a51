import { setTimeout as delay } from "node:timers/promises";
import { createRandom, hashText } from "./seed.ts";

const JITTER = 0.25;

/** The latency of one prompt: the configured one, up to a quarter more or less, the same each time. */
export function latencyOf(prompt: string, latencyMs: number): number {
  const spread = createRandom(hashText(`latency ${prompt}`))() * 2 - 1;
  return Math.round(latencyMs * (1 + spread * JITTER));
}

/** Runs `work`, and answers no sooner than the latency of the prompt asks. */
export async function withLatency<T>(prompt: string, latencyMs: number, work: () => T | Promise<T>): Promise<T> {
  const [result] = await Promise.allSettled([work(), delay(latencyOf(prompt, latencyMs), undefined, { ref: false })]);
  if (result.status === "rejected") throw result.reason;
  return result.value;
}
