import { expect, test, vi } from "vitest";
import { DAY_MS } from "#lib/core/time.ts";
import { createReadCache } from "#lib/features/accounts/accounts.ts";

/** A cache for a day with room for two, and a clock to move. */
const openCache = () => {
  let nowMs = Date.UTC(2026, 10, 27);
  const loads: string[] = [];
  const cache = createReadCache<string>({ keptMs: DAY_MS, entriesMax: 2 });
  const ctx = { now: () => new Date(nowMs) };
  return {
    loads,
    move: (ms: number) => {
      nowMs += ms;
    },
    read: (key: string, load = async () => key) =>
      cache.read(ctx, key, () => {
        loads.push(key);
        return load();
      }),
  };
};

test("a value is kept for a day and not longer", async () => {
  const { loads, move, read } = openCache();
  await read("a");
  move(DAY_MS - 1);
  expect(await read("a")).toBe("a");
  expect(loads).toEqual(["a"]);
  move(1);
  await read("a");
  expect(loads).toEqual(["a", "a"]);
});

test("beyond its size, the value that was read least recently is dropped", async () => {
  const { loads, read } = openCache();
  for (const key of ["a", "b", "a", "c", "a"]) await read(key);
  expect(loads).toEqual(["a", "b", "c"]);
  await read("b");
  expect(loads).toEqual(["a", "b", "c", "b"]);
});

test("concurrent readers share one load, and a failure is not kept", async () => {
  const { loads, read } = openCache();
  const failing = () => Promise.reject(new Error("down"));
  const both = await Promise.allSettled([read("a", failing), read("a", failing)]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(loads).toEqual(["a"]);
  expect(await read("a")).toBe("a");
});

test("a value that is never read again leaves the memory after a day", () => {
  vi.useFakeTimers();
  try {
    const { read } = openCache();
    void read("a");
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(DAY_MS);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
