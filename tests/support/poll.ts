import { setTimeout as delay } from "node:timers/promises";

export type PollOptions = {
  /** Timeout before the test fails. */
  deadlineMs?: number;
  everyMs?: number;
  /** What it waits for, used in the error message. */
  what?: string;
};

/**
 * Calls `attempt` until it returns something truthy, and returns that. An attempt that throws is repeated, so it may
 * contain `expect(...)`; the last error becomes the cause of the failure.
 */
export async function until<T>(attempt: () => T | Promise<T>, options: PollOptions = {}): Promise<NonNullable<T>> {
  const { deadlineMs = 30_000, everyMs = 50, what = "the awaited state" } = options;
  const deadline = performance.now() + deadlineMs;
  let lastError: unknown;
  for (;;) {
    try {
      const found = await attempt();
      if (found) return found;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (performance.now() > deadline) throw timeoutError(what, deadlineMs, lastError);
    await delay(everyMs);
  }
}

function timeoutError(what: string, deadlineMs: number, cause: unknown): Error {
  const detail = cause instanceof Error ? `: ${cause.message}` : "";
  return new Error(`Waited ${deadlineMs} ms for ${what}${detail}`, { cause });
}
