import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createBoundedQueue } from "#lib/core/concurrency.ts";

/** Work that runs until it is ended. */
const piece = () => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { promise, end: resolve, fail: () => reject(new Error("broken")) };
};
const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const open = () => {
  const run = createBoundedQueue({ atOnce: 2, waitingMax: 3, waitMaxMs: 10_000 });
  const begun: number[] = [];
  const pieces = Array.from({ length: 8 }, piece);
  const start = (n: number) => {
    const result = run(
      async () => {
        begun.push(n);
        await pieces[n]?.promise;
        return n;
      },
      () => new Error("full"),
    );
    // Failures are looked at later.
    result.catch(() => undefined);
    return result;
  };
  return { start, begun, pieces };
};

test("work starts in order, a few pieces at once; what finds the queue full is refused at once", async () => {
  const { start, begun, pieces } = open();
  const [zero, one, two, three, four] = [start(0), start(1), start(2), start(3), start(4)];
  await expect(start(5)).rejects.toThrow("full");
  expect(begun).toEqual([0, 1]);
  pieces[1]?.end();
  expect(await one).toBe(1);
  expect(begun).toEqual([0, 1, 2]);
  // A place is free again, and nothing passes those who wait.
  const six = start(6);
  pieces[0]?.fail();
  await expect(zero).rejects.toThrow("broken");
  expect(begun).toEqual([0, 1, 2, 3]);
  for (const each of pieces) each.end();
  expect(await Promise.all([two, three, four, six])).toEqual([2, 3, 4, 6]);
  expect(begun).toEqual([0, 1, 2, 3, 4, 6]);
});

test("no piece waits longer than the limit, and a refused one never starts", async () => {
  const { start, begun, pieces } = open();
  const all = [start(0), start(1), start(2)];
  await vi.advanceTimersByTimeAsync(9_000);
  all.push(start(3));
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(all[2]).rejects.toThrow("full");
  pieces[0]?.end();
  await settle();
  expect(begun).toEqual([0, 1, 3]);
  for (const each of pieces) each.end();
  expect(await all[3]).toBe(3);
  // Free again: the next one starts without waiting.
  expect(await start(7)).toBe(7);
});
