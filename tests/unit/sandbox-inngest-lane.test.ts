import { describe, expect, test } from "vitest";
import type { FunctionConfig } from "#sandbox/inngest/functions.ts";
import { type Candidate, chooseCalls, laneOf } from "#sandbox/inngest/queue.ts";
import { fc } from "#tests/support/properties.ts";

const fn = (concurrency: FunctionConfig["concurrency"]): FunctionConfig => ({
  ...{ id: "app-fn", maxAttempts: 1, triggers: [], concurrency },
});
const byUser = (limit: number) => ({ limit, keyOf: (event: unknown) => Object(event).data.user });
const all = (limit: number) => ({ limit, keyOf: () => null });
const laneOfUser = (rules: FunctionConfig["concurrency"], user: string) => laneOf(fn(rules), { data: { user } });

const waiting = (lane: string, count: number, rankMs = 0): Candidate[] =>
  Array.from({ length: count }, (_, n) => ({ runId: `${lane}-${n}`, target: "step", lane, rankMs: rankMs + n }));
const lanesOf = (chosen: readonly Candidate[]) => chosen.map((call) => call.lane);

describe("lanes", () => {
  test("name the function and the value of each key, long ones by a digest", () => {
    expect(laneOfUser([byUser(1)], "u1")).not.toBe(laneOfUser([byUser(1)], "u2"));
    expect(laneOfUser([all(3)], "u1")).toBe(laneOfUser([all(3)], "u2"));
    expect(JSON.parse(laneOfUser([byUser(1), all(3)], "u1"))).toEqual(["app-fn", '"u1"', "null"]);
    expect(laneOfUser([byUser(1)], "x".repeat(10_000)).length).toBeLessThan(200);
  });

  test("a key with many waiting calls leaves the first place in turn to every other", () => {
    const rules = [byUser(10)];
    const [busy, one, two] = ["busy", "one", "two"].map((user) => laneOfUser(rules, user));
    const candidates = [
      ...waiting(busy ?? "", 1_000),
      ...waiting(one ?? "", 1, 5_000),
      ...waiting(two ?? "", 1, 6_000),
    ];
    const chosen = chooseCalls(candidates, new Map([[busy ?? "", 1]]), () => [10], 3);
    expect(lanesOf(chosen)).toEqual([one, two, busy]);
  });

  test("of one lane the oldest go first", () => {
    const lane = laneOfUser([all(2)], "u");
    expect(chooseCalls(waiting(lane, 5), new Map(), () => [2], 9).map((call) => call.rankMs)).toEqual([0, 1]);
  });

  test("whatever waits and runs, no limit is exceeded and no place is left that somebody could take", () => {
    const user = fc.constantFrom("a", "b", "c");
    const counts = fc.dictionary(user, fc.nat(6));
    fc.assert(
      fc.property(
        counts,
        counts,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(12),
        (wait, run, total, each, places) => {
          const rules = [all(total), byUser(each)];
          const running = new Map(Object.entries(run).map(([name, count]) => [laneOfUser(rules, name), count]));
          const candidates = Object.entries(wait).flatMap(([name, count]) => waiting(laneOfUser(rules, name), count));
          const chosen = chooseCalls(candidates, running, () => [total, each], places);
          const inAll = [...running.values()].reduce((sum, count) => sum + count, 0);
          const used = (lane: string) => (running.get(lane) ?? 0) + chosen.filter((call) => call.lane === lane).length;
          expect(chosen.length).toBeLessThanOrEqual(Math.max(0, Math.min(places, total - inAll)));
          for (const { lane } of chosen) expect(used(lane)).toBeLessThanOrEqual(each);
          const isFull = chosen.length === places || inAll + chosen.length >= total;
          const left = candidates.filter((call) => !chosen.includes(call) && used(call.lane) < each);
          if (!isFull) expect(left).toEqual([]);
        },
      ),
    );
  });
});
