import { setTimeout as delay } from "node:timers/promises";

/**
 * Waits for a promise, but not for ever.
 * @throws Error naming what was waited for. The promise itself goes on; how it fails later is only told.
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
  // Whoever was late must not end the process with an error that nobody awaits.
  promise.catch((error) => {
    if (isLate) console.info(`${what} failed after nobody waited for it any more: ${error}`);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Asks until the answer is true or the time is over. @returns whether it became true; errors count as "not yet". */
export async function becomes(ask: () => boolean | Promise<boolean>, ms: number, everyMs = 50): Promise<boolean> {
  const deadline = performance.now() + ms;
  for (;;) {
    const isTrue = await within(Promise.resolve().then(ask), Math.max(1_000, ms), "an answer").catch(() => false);
    if (isTrue) return true;
    if (performance.now() > deadline) return false;
    await delay(everyMs);
  }
}

/** Runs work over a list, so many at a time. */
export async function inLanes<T, R>(list: readonly T[], lanes: number, work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async () => {
    for (let index = next++; index < list.length; index = next++) results[index] = await work(list[index] as T);
  };
  await Promise.all(Array.from({ length: Math.min(lanes, list.length) }, lane));
  return results;
}

export { delay };
