import { describe, expect, test } from "vitest";
import type { FunctionConfig } from "#sandbox/inngest/functions.ts";
import { type Candidate, queueKeyOf, selectCalls } from "#sandbox/inngest/queue.ts";
import { fc } from "#tests/support/properties.ts";

const fn = (concurrency: FunctionConfig["concurrency"]): FunctionConfig => ({
  ...{ id: "app-fn", maxAttempts: 1, triggers: [], concurrency },
});
const byUser = (limit: number) => ({ limit, keyOf: (event: unknown) => Object(event).data.user });
const all = (limit: number) => ({ limit, keyOf: () => null });
const queueKeyOfUser = (rules: FunctionConfig["concurrency"], user: string) =>
  queueKeyOf(fn(rules), { data: { user } });

const waiting = (queueKey: string, count: number, rankMs = 0): Candidate[] =>
  Array.from({ length: count }, (_, n) => ({
    runId: `${queueKey}-${n}`,
    target: "step",
    queueKey,
    rankMs: rankMs + n,
  }));
const queueKeysOf = (chosen: readonly Candidate[]) => chosen.map((call) => call.queueKey);

describe("queues", () => {
  test("keys contain the function and the value of each rule, long values as a digest", () => {
    expect(queueKeyOfUser([byUser(1)], "u1")).not.toBe(queueKeyOfUser([byUser(1)], "u2"));
    expect(queueKeyOfUser([all(3)], "u1")).toBe(queueKeyOfUser([all(3)], "u2"));
    expect(JSON.parse(queueKeyOfUser([byUser(1), all(3)], "u1"))).toEqual(["app-fn", '"u1"', "null"]);
    expect(queueKeyOfUser([byUser(1)], "x".repeat(10_000)).length).toBeLessThan(200);
  });

  test("a key with many waiting calls lets every other key go first", () => {
    const rules = [byUser(10)];
    const [busy, item, two] = ["busy", "one", "two"].map((user) => queueKeyOfUser(rules, user));
    const candidates = [
      ...waiting(busy ?? "", 1_000),
      ...waiting(item ?? "", 1, 5_000),
      ...waiting(two ?? "", 1, 6_000),
    ];
    const chosen = selectCalls(candidates, new Map([[busy ?? "", 1]]), () => [10], 3);
    expect(queueKeysOf(chosen)).toEqual([item, two, busy]);
  });

  test("the oldest calls of a queue go first", () => {
    const queueKey = queueKeyOfUser([all(2)], "u");
    expect(selectCalls(waiting(queueKey, 5), new Map(), () => [2], 9).map((call) => call.rankMs)).toEqual([0, 1]);
  });

  test("no limit is exceeded, and no capacity stays unused while a call could use it", () => {
    const user = fc.constantFrom("a", "b", "c");
    const counts = fc.dictionary(user, fc.nat(6));
    fc.assert(
      fc.property(
        counts,
        counts,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(12),
        (wait, run, total, each, capacity) => {
          const rules = [all(total), byUser(each)];
          const running = new Map(Object.entries(run).map(([name, count]) => [queueKeyOfUser(rules, name), count]));
          const candidates = Object.entries(wait).flatMap(([name, count]) =>
            waiting(queueKeyOfUser(rules, name), count),
          );
          const chosen = selectCalls(candidates, running, () => [total, each], capacity);
          const inAll = [...running.values()].reduce((sum, count) => sum + count, 0);
          const used = (queueKey: string) =>
            (running.get(queueKey) ?? 0) + chosen.filter((call) => call.queueKey === queueKey).length;
          expect(chosen.length).toBeLessThanOrEqual(Math.max(0, Math.min(capacity, total - inAll)));
          for (const { queueKey } of chosen) expect(used(queueKey)).toBeLessThanOrEqual(each);
          const isFull = chosen.length === capacity || inAll + chosen.length >= total;
          const left = candidates.filter((call) => !chosen.includes(call) && used(call.queueKey) < each);
          if (!isFull) expect(left).toEqual([]);
        },
      ),
    );
  });
});
