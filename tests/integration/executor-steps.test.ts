import { NonRetriableError, RetryAfterError } from "inngest";
import { describe, expect, test } from "vitest";
import { databaseForFile } from "#tests/support/database.ts";
import { startHarness, untilEnded } from "./executor-harness.ts";

const database = databaseForFile();
const go = { triggers: [{ event: "test/go" }] };

/** Records times to measure intervals. */
const stamps = () => {
  const at: number[] = [];
  return {
    at,
    hit: () => at.push(performance.now()),
    between: (from: number, to: number) => (at[to] ?? 0) - (at[from] ?? 0),
  };
};

describe("steps", () => {
  test("run once each, in order, even with repeated ids, and keep their results", async () => {
    const bodies: string[] = [];
    const returned: unknown[] = [];
    const harness = await startHarness(database().url, (client) => [
      client.createFunction({ id: "fn", ...go }, async ({ step, runId, event }) => {
        for (let task = 0; task < 3; task += 1) {
          returned[task] = await step.run("loop", () => {
            bodies.push(`loop ${task}`);
            return { task, text: "zero \u0000 \ud800 ü", nothing: null, key: event.data.key };
          });
        }
        returned[3] = await step.run("last", () => undefined);
        returned[4] = runId;
      }),
    ]);
    await harness.app.client.send({ name: "test/go", data: { key: "k\u0000" } });
    const [run] = await untilEnded(harness.url, "fn");
    expect(run).toMatchObject({ status: "completed", event: "test/go", error: null });
    expect(run?.steps.map((step) => step.name)).toEqual(["loop", "loop", "loop", "last"]);
    expect(bodies).toEqual(["loop 0", "loop 1", "loop 2"]);
    expect(returned[1]).toEqual({ task: 1, text: "zero \u0000 \ud800 ü", nothing: null, key: "k\u0000" });
    expect(returned[3]).toBeNull();
    expect(returned[4]).toMatch(/^[0-9A-Z]{26}$/);
    expect(harness.app.calls).toHaveLength(5);
  });

  test("sleep for a duration and until a time", async () => {
    const clock = stamps();
    const harness = await startHarness(database().url, (client) => [
      client.createFunction({ id: "fn", ...go }, async ({ step }) => {
        await step.run("before", clock.hit);
        await step.sleep("delay", "1s");
        const until = await step.run("after", () => {
          clock.hit();
          return new Date(Date.now() + 1_000).toISOString();
        });
        await step.sleepUntil("appointment", until);
        await step.run("end", clock.hit);
      }),
    ]);
    await harness.app.client.send({ name: "test/go" });
    await untilEnded(harness.url, "fn");
    expect(clock.between(0, 1)).toBeGreaterThanOrEqual(990);
    expect(clock.between(0, 1)).toBeLessThan(60_000);
    expect(clock.between(1, 2)).toBeGreaterThanOrEqual(990);
    expect(clock.between(1, 2)).toBeLessThan(60_000);
  });
});

describe("errors", () => {
  test("are retried per step, with the attempt counted from zero for each step", async () => {
    const attempts: string[] = [];
    const harness = await startHarness(database().url, (client) => [
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
    await harness.app.client.send({ name: "test/go" });
    const [run] = await untilEnded(harness.url, "fn");
    expect(run?.status).toBe("completed");
    expect(attempts).toEqual(["a0/4", "a1/4", "a2/4", "b0/4", "b1/4"]);
  });

  test("obey RetryAfterError", async () => {
    const clock = stamps();
    const harness = await startHarness(database().url, (client) => [
      client.createFunction({ id: "fn", ...go }, async ({ step, attempt }) => {
        await step.run("busy", () => {
          clock.hit();
          if (attempt === 0) throw new RetryAfterError("busy", 1_000);
        });
      }),
    ]);
    await harness.app.client.send({ name: "test/go" });
    await untilEnded(harness.url, "fn");
    expect(clock.between(0, 1)).toBeGreaterThanOrEqual(990);
    expect(clock.between(0, 1)).toBeLessThan(60_000);
  });

  test("that exhaust a step's attempts, or are not retriable, can be caught by the function", async () => {
    const caught: string[] = [];
    const tries = { soft: 0, hard: 0 };
    const harness = await startHarness(database().url, (client) => [
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
    await harness.app.client.send({ name: "test/go" });
    const [run] = await untilEnded(harness.url, "fn");
    expect(run?.status).toBe("completed");
    expect(caught).toContain("soft after 3");
    expect(caught).toContain("hard after 1");
    expect(run?.steps.map((step) => step.state)).toEqual(["failed", "failed", "done"]);
  });

  test("outside of steps retry the whole function with its saved steps, and a final one fails the run", async () => {
    const seen: string[] = [];
    const harness = await startHarness(database().url, (client) => [
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
    await harness.app.client.send({ name: "test/go" });
    const [body] = await untilEnded(harness.url, "body");
    const [fatal] = await untilEnded(harness.url, "fatal");
    expect(body).toMatchObject({ status: "failed", error: "Error: between steps" });
    expect(seen).toEqual(["once", "body 0", "body 1"]);
    expect(fatal).toMatchObject({ status: "failed" });
    expect(fatal?.error).toContain("no use");
  });

  test("for unsupported steps end the run with a message", async () => {
    const harness = await startHarness(database().url, (client) => [
      client.createFunction({ id: "fn", ...go }, async ({ step }) => {
        const [sleep, work] = [step.sleep("delay", "1h"), step.run("work", () => 1)];
        await Promise.all([sleep, work, step.waitForSignal("signal", { signal: "green", timeout: "1h" })]);
      }),
    ]);
    await harness.app.client.send({ name: "test/go" });
    const [run] = await untilEnded(harness.url, "fn");
    expect(run?.status).toBe("failed");
    expect(run?.error).toContain("WaitForSignal");
    expect(run?.error).toContain("does not support");
    expect(await harness.query("select 1 from step where completion is null")).toHaveLength(0);
    expect(await harness.query("select 1 from call")).toHaveLength(0);
  });

  test("for waiting on events or invoking functions end the run with a message", async () => {
    const harness = await startHarness(database().url, (client) => [
      client.createFunction({ id: "waits", ...go }, ({ step }) =>
        step.waitForEvent("w", { event: "a/b", timeout: "1h" }),
      ),
      client.createFunction({ id: "invokes", ...go }, ({ step }) =>
        step.invoke("i", { function: client.createFunction({ id: "x", ...go }, () => 1) }),
      ),
    ]);
    await harness.app.client.send({ name: "test/go" });
    const [waits] = await untilEnded(harness.url, "waits");
    expect(waits?.error).toContain('"WaitForEvent", which this executor does not support');
    const [invokes] = await untilEnded(harness.url, "invokes");
    expect(invokes?.error).toContain('"InvokeFunction", which this executor does not support');
  });

  test("with text that PostgreSQL rejects count as attempts, and the run continues", async () => {
    const odd = "odd \0 \ud800 text";
    const attempts: number[] = [];
    const harness = await startHarness(database().url, (client) => [
      client.createFunction({ id: "fn", ...go, retries: 1 }, async ({ step, attempt }) => {
        await step.run(odd, () => {
          attempts.push(attempt);
          throw new Error(odd);
        });
      }),
    ]);
    await harness.app.client.send({ name: "test/go" });
    const [run] = await untilEnded(harness.url, "fn");
    expect(attempts).toEqual([0, 1]);
    expect(run?.status).toBe("failed");
    expect(run?.error).toContain("odd");
  });
});
