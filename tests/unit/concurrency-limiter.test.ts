import { expect, test } from "vitest";
import { createConcurrencyLimiter, forEachConcurrently } from "#lib/core/concurrency.ts";

/** Work that runs until it is ended. */
const piece = () => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { run: () => promise, end: resolve, fail: () => reject(new Error("broken")) };
};

/** Lets pending work proceed. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("runs work up to the capacity; the rest follows in order as capacity becomes free", async () => {
  const limiter = createConcurrencyLimiter(10);
  const begun: string[] = [];
  const pieces = { a: piece(), b: piece(), c: piece(), d: piece() };
  const start = (name: keyof typeof pieces, weight: number) =>
    limiter.run(weight, () => {
      begun.push(name);
      return pieces[name].run();
    });
  const all = [start("a", 6), start("b", 5), start("c", 4), start("d", 1)];
  await settle();
  // d would fit beside a, but must not pass waiting work.
  expect(begun).toEqual(["a"]);
  pieces.a.end();
  await settle();
  expect(begun).toEqual(["a", "b", "c", "d"]);
  for (const one of Object.values(pieces)) one.end();
  await Promise.all(all);
});

test("work heavier than the capacity runs alone, and failed work releases its capacity", async () => {
  const limiter = createConcurrencyLimiter(10);
  const heavy = piece();
  const failing = limiter.run(1_000, heavy.run);
  let hasBegun = false;
  const next = limiter.run(1, async () => {
    hasBegun = true;
  });
  await settle();
  expect(hasBegun).toBe(false);
  heavy.fail();
  await expect(failing).rejects.toThrow("broken");
  await next;
  expect(hasBegun).toBe(true);
});

test("urgent work goes first, and other work still gets its turn", async () => {
  const limiter = createConcurrencyLimiter(1);
  const begun: string[] = [];
  const first = piece();
  const waiting = [limiter.run(1, first.run)];
  const queue = (name: string, isUrgent: boolean) =>
    waiting.push(
      limiter.run(
        1,
        async () => {
          begun.push(name);
        },
        { isUrgent },
      ),
    );
  queue("kept", false);
  queue("kept too", false);
  for (let count = 1; count <= 10; count += 1) queue(`shown ${count}`, true);
  first.end();
  await Promise.all(waiting);
  const shown = Array.from({ length: 10 }, (_, at) => `shown ${at + 1}`);
  expect(begun).toEqual([...shown.slice(0, 8), "kept", ...shown.slice(8), "kept too"]);
});

test("forEachConcurrently works on so many items at a time, and begins none after a failure", async () => {
  const items = Array.from({ length: 6 }, () => piece());
  const begun: number[] = [];
  const working = forEachConcurrently(items.keys(), 2, async (index) => {
    begun.push(index);
    await items[index]?.run();
  });
  await settle();
  expect(begun).toEqual([0, 1]);
  items[1]?.end();
  await settle();
  expect(begun).toEqual([0, 1, 2]);
  items[0]?.fail();
  await expect(working).rejects.toThrow("broken");
  items[2]?.end();
  await settle();
  expect(begun).toEqual([0, 1, 2]);
});
