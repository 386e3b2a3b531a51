import { NonRetriableError, RetryAfterError } from "inngest";
import { describe, expect, test } from "vitest";
import { databaseForFile } from "#tests/support/database.ts";
import { startHouse, untilEnded } from "./executor-house.ts";

const database = databaseForFile();
const go = { triggers: [{ event: "test/go" }] };

/** Remembers when something happened, for intervals. */
const stamps = () => {
  const at: number[] = [];
  return {
    at,
    hit: () => at.push(performance.now()),
    between: (from: number, to: number) => (at[to] ?? 0) - (at[from] ?? 0),
  };
};

/** A promise that is settled from outside. */
const gate = () => Promise.withResolvers<void>();

describe("steps", () => {
  test("run once each, in order, also under repeated ids, and keep what they returned", async () => {
    const bodies: string[] = [];
    const returned: unknown[] = [];
    const house = await startHouse(database().url, (client) => [
      client.createFunction({ id: "fn", ...go }, async ({ step, runId, event }) => {
        for (let turn = 0; turn < 3; turn += 1) {
          returned[turn] = await step.run("loop", () => {
            bodies.push(`loop ${turn}`);
            return { turn, text: "zero \u0000 \ud800 ü", nothing: null, key: event.data.key };
          });
        }
        returned[3] = await step.run("last", () => undefined);
        returned[4] = runId;
      }),
    ]);
    await house.app.client.send({ name: "test/go", data: { key: "k\u0000" } });
    const [run] = await untilEnded(house.url, "fn");
    expect(run).toMatchObject({ status: "completed", event: "test/go", error: null });
    expect(run?.steps.map((step) => step.name)).toEqual(["loop", "loop", "loop", "last"]);
    expect(bodies).toEqual(["loop 0", "loop 1", "loop 2"]);
    expect(returned[1]).toEqual({ turn: 1, text: "zero \u0000 \ud800 ü", nothing: null, key: "k\u0000" });
    expect(returned[3]).toBeNull();
    expect(returned[4]).toMatch(/^[0-9A-Z]{26}$/);
    expect(house.app.calls).toHaveLength(5);
  });

  test("sleep for as long as they say, and until a moment", async () => {
    const clock = stamps();
    const house = await startHouse(database().url, (client) => [
      client.createFunction({ id: "fn", ...go }, async ({ step }) => {
        await step.run("before", clock.hit);
        await step.sleep("nap", "1s");
        const until = await step.run("after", () => {
          clock.hit();
          return new Date(Date.now() + 1_000).toISOString();
        });
        await step.sleepUntil("appointment", until);
        await step.run("end", clock.hit);
      }),
    ]);
    await house.app.client.send({ name: "test/go" });
    await untilEnded(house.url, "fn");
    expect(clock.between(0, 1)).toBeGreaterThanOrEqual(990);
    expect(clock.between(0, 1)).toBeLessThan(2_000);
    expect(clock.between(1, 2)).toBeGreaterThanOrEqual(990);
    expect(clock.between(1, 2)).toBeLessThan(2_000);
  });
});

describe("errors", () => {
  test("are retried per step, with the attempt counted from zero for each step", async () => {
    const attempts: string[] = [];
    const house = await startHouse(database().url, (client) => [
      client.createFunction({ id: "fn", ...go, retries: 3 }, async ({ step, attempt, maxAttempts }) => {
        for (const [name, failures] of [
          ["a", 2],
          ["b", 1],
        ] as const) {
          await step.run(name, () => {
            attempts.push(`${name}${attempt}/${maxAttempts}`);
            if (attempt < failures) throw new Error("not yet");
          });
        }
      }),
    ]);
    await house.app.client.send({ name: "test/go" });
    const [run] = await untilEnded(house.url, "fn");
    expect(run?.status).toBe("completed");
    expect(attempts).toEqual(["a0/4", "a1/4", "a2/4", "b0/4", "b1/4"]);
  });

  test("obey RetryAfterError", async () => {
    const clock = stamps();
    const house = await startHouse(database().url, (client) => [
      client.createFunction({ id: "fn", ...go }, async ({ step, attempt }) => {
        await step.run("busy", () => {
          clock.hit();
          if (attempt === 0) throw new RetryAfterError("busy", 1_000);
        });
      }),
    ]);
    await house.app.client.send({ name: "test/go" });
    await untilEnded(house.url, "fn");
    expect(clock.between(0, 1)).toBeGreaterThanOrEqual(990);
    expect(clock.between(0, 1)).toBeLessThan(2_000);
  });

  test("that exhaust a step's attempts, or are not retriable, can be caught by the function", async () => {
    const caught: string[] = [];
    const tries = { soft: 0, hard: 0 };
    const house = await startHouse(database().url, (client) => [
      client.createFunction({ id: "fn", ...go, retries: 2 }, async ({ step }) => {
        await step
          .run("soft", () => {
            tries.soft += 1;
            throw new TypeError("soft");
          })
          .catch((error: Error) => caught.push(`${error.message} after ${tries.soft}`));
        await step
          .run("hard", () => {
            tries.hard += 1;
            throw new NonRetriableError("hard");
          })
          .catch((error: Error) => caught.push(`${error.message} after ${tries.hard}`));
        return step.run("still here", () => "yes");
      }),
    ]);
    await house.app.client.send({ name: "test/go" });
    const [run] = await untilEnded(house.url, "fn");
    expect(run?.status).toBe("completed");
    expect(caught).toContain("soft after 3");
    expect(caught).toContain("hard after 1");
    expect(run?.steps.map((step) => step.state)).toEqual(["failed", "failed", "done"]);
  });

  test("outside of steps retry the whole function with its memos, and a final one fails the run", async () => {
    const seen: string[] = [];
    const house = await startHouse(database().url, (client) => [
      client.createFunction({ id: "body", ...go, retries: 1 }, async ({ step, attempt }) => {
        await step.run("once", () => seen.push("once"));
        seen.push(`body ${attempt}`);
        throw new Error("between steps");
      }),
      client.createFunction({ id: "fatal", ...go }, async ({ step }) => {
        await step.run("fatal", () => {
          throw new NonRetriableError("no use");
        });
      }),
    ]);
    await house.app.client.send({ name: "test/go" });
    const [body] = await untilEnded(house.url, "body");
    const [fatal] = await untilEnded(house.url, "fatal");
    expect(body).toMatchObject({ status: "failed", error: "Error: between steps" });
    expect(seen).toEqual(["once", "body 0", "body 1"]);
    expect(fatal).toMatchObject({ status: "failed" });
    expect(fatal?.error).toContain("no use");
  });

  test.each([
    ["waitForEvent", "WaitForEvent"],
    ["race", "race"],
  ])("%s is not supported: the run fails and says so", async (kind, reason) => {
    const house = await startHouse(database().url, (client) => [
      client.createFunction({ id: "fn", ...go }, async ({ step, group }) => {
        if (kind === "waitForEvent") await step.waitForEvent("wait", { event: "test/later", timeout: "1h" });
        await group.parallel(async () => Promise.race([step.run("a", () => 1), step.run("b", () => 2)]));
      }),
    ]);
    await house.app.client.send({ name: "test/go" });
    const [run] = await untilEnded(house.url, "fn");
    expect(run?.status).toBe("failed");
    expect(run?.error).toContain(reason);
    expect(run?.error).toContain("does not support");
  });
});

describe("parallel steps", () => {
  test("run at the same time, each once, and meet again in one discovery", async () => {
    const RUNS = 10;
    const gates = new Map<string, { arrived: number; open: PromiseWithResolvers<void> }>();
    const house = await startHouse(database().url, (client) => [
      client.createFunction({ id: "fn", ...go }, async ({ step, runId }) => {
        const meet = async () => {
          const place = gates.get(runId) ?? { arrived: 0, open: gate() };
          gates.set(runId, place);
          place.arrived += 1;
          if (place.arrived === 2) place.open.resolve();
          await place.open.promise;
          return place.arrived;
        };
        return Promise.all([step.run("left", meet), step.run("right", meet)]);
      }),
    ]);
    await house.app.client.send(Array.from({ length: RUNS }, () => ({ name: "test/go" })));
    const runs = await untilEnded(house.url, "fn", RUNS);
    expect(runs.every((run) => run.status === "completed")).toBe(true);
    expect([...gates.values()].map((place) => place.arrived)).toEqual(Array.from({ length: RUNS }, () => 2));
    // Per run: one call that plans, one for each of the two steps, one that finds both done.
    expect(house.app.calls).toHaveLength(RUNS * 4);
    expect(house.app.calls.filter((call) => call === "app-fn step")).toHaveLength(RUNS * 2);
  });

  test("settle one by one: failures, retries, sleeps and chains of unequal length", async () => {
    let outcome: unknown;
    const bodies: string[] = [];
    const house = await startHouse(database().url, (client) => [
      client.createFunction({ id: "fn", ...go, retries: 1 }, async ({ step, attempt }) => {
        const work = (name: string) => step.run(name, () => bodies.push(name) && name);
        const chain = async () => [await work("a1"), await work("a2"), await work("a3")];
        const flaky = step.run("flaky", () => {
          if (attempt === 0) throw new Error("once");
          return "recovered";
        });
        const doomed = step.run("doomed", () => {
          throw new NonRetriableError("doomed");
        });
        outcome = await Promise.allSettled([chain(), flaky, doomed, step.sleep("nap", "1s")]);
      }),
    ]);
    await house.app.client.send({ name: "test/go" });
    const [run] = await untilEnded(house.url, "fn");
    expect(run?.status).toBe("completed");
    expect(bodies).toEqual(["a1", "a2", "a3"]);
    expect(outcome).toMatchObject([
      { status: "fulfilled", value: ["a1", "a2", "a3"] },
      { status: "fulfilled", value: "recovered" },
      { status: "rejected" },
      { status: "fulfilled" },
    ]);
  });
});

test("a redelivered job of an answered call does nothing", async () => {
  const bodies: string[] = [];
  const [entered, leave] = [gate(), gate()];
  const house = await startHouse(database().url, (client) => [
    client.createFunction({ id: "fn", ...go }, async ({ step, runId }) => {
      await step.run("first", () => bodies.push("first"));
      await step.run("second", async () => {
        bodies.push("second");
        entered.resolve();
        await leave.promise;
        return runId;
      });
    }),
  ]);
  await house.app.client.send({ name: "test/go" });
  await entered.promise;
  const [call] = await house.query<{ run_id: string; generation: number }>("select run_id, generation from call");
  const stale = { runId: call?.run_id, target: "step", generation: (call?.generation ?? 0) - 1 };
  const queue = `${house.settings.schema}_queue`;
  await house.query(`select ${queue}.add_job('advance', $1::json)`, [JSON.stringify(stale)]);
  await expect.poll(() => house.query(`select 1 from ${queue}.jobs where locked_at is null`)).toHaveLength(0);
  leave.resolve();
  await untilEnded(house.url, "fn");
  expect(bodies).toEqual(["first", "second"]);
  expect(house.app.calls).toHaveLength(3);
});
