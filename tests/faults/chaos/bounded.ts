import { setTimeout as delay } from "node:timers/promises";

/**
 * Waits for a promise with a timeout.
 * @throws Error naming what was waited for. The promise continues; a later failure is only logged.
 */
export async function within<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isLate = true;
      reject(new Error(`Waited ${ms} ms for ${what}`));
    }, ms);
  });
  // A late failure must not end the process as an unhandled rejection.
  promise.catch((error) => {
    if (isLate) console.info(`${what} failed after its timeout: ${error}`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Polls until the predicate is true or the time is up. Returns whether it became true; errors count as false. */
export async function becomes(predicate: () => boolean | Promise<boolean>, ms: number, everyMs = 50): Promise<boolean> {
  const deadline = performance.now() + ms;
  for (;;) {
    const isTrue = await within(Promise.resolve().then(predicate), Math.max(1_000, ms), "an answer").catch(() => false);
    if (isTrue) return true;
    if (performance.now() > deadline) return false;
    await delay(everyMs);
  }
}

/** Maps over a list with limited concurrency. */
export async function mapConcurrent<T, R>(
  list: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < list.length; index = next++) results[index] = await work(list[index] as T);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, list.length) }, worker));
  return results;
}

export { delay };
