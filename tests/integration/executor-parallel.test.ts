import { NonRetriableError } from "inngest";
import { describe, expect, test } from "vitest";
import { databaseForFile } from "#tests/support/database.ts";
import { startHarness, until, untilEnded } from "./executor-harness.ts";

const database = databaseForFile();
const go = { triggers: [{ event: "test/go" }] };

/** A promise that is resolved from outside. */
const gate = () => Promise.withResolvers<void>();

describe("parallel steps", () => {
  test("run at the same time, each once, and join in one discovery call", async () => {
    const RUNS = 10;
    const gates = new Map<string, { arrived: number; open: PromiseWithResolvers<void> }>();
    const harness = await startHarness(database().url, (client) => [
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
    await harness.app.client.send(Array.from({ length: RUNS }, () => ({ name: "test/go" })));
    const runs = await untilEnded(harness.url, "fn", RUNS);
    expect(runs.every((run) => run.status === "completed")).toBe(true);
    expect([...gates.values()].map((place) => place.arrived)).toEqual(Array.from({ length: RUNS }, () => 2));
    // Per run: one planning call, one per step, and one that finds both done.
    expect(harness.app.calls).toHaveLength(RUNS * 4);
    expect(harness.app.calls.filter((call) => call === "app-fn step")).toHaveLength(RUNS * 2);
  });

  test("settle independently: failures, retries, sleeps and chains of unequal length", async () => {
    let outcome: unknown;
    const bodies: string[] = [];
    const harness = await startHarness(database().url, (client) => [
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
    await harness.app.client.send({ name: "test/go" });
    const [run] = await untilEnded(harness.url, "fn");
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

test("the response to a replaced call is ignored, and the replacement is sent", async () => {
  const bodies: string[] = [];
  const [entered, leave] = [gate(), gate()];
  const harness = await startHarness(database().url, (client) => [
    client.createFunction({ id: "fn", ...go }, async ({ step }) => {
      await step.run("first", () => bodies.push("first"));
      const returned = await step.run("second", async () => {
        bodies.push("second");
        const task = bodies.length;
        entered.resolve();
        if (task === 2) await leave.promise;
        return task;
      });
      return returned;
    }),
  ]);
  await harness.app.client.send({ name: "test/go" });
  await entered.promise;
  await harness.query(
    `with moved as (update run set generation = generation + 1, version = version + 1 returning id, generation)
     update call set generation = moved.generation from moved where run_id = moved.id`,
  );
  leave.resolve();
  const [run] = await untilEnded(harness.url, "fn");
  expect(bodies).toEqual(["first", "second", "second"]);
  expect(run?.status).toBe("completed");
  expect((await harness.query<{ output: string }>("select output from run"))[0]?.output).toBe("3");
});

test("of a call delivered twice, one response counts and the next step starts once", async () => {
  const bodies: string[] = [];
  const [both, leave] = [gate(), gate()];
  const harness = await startHarness(database().url, (client) => [
    client.createFunction({ id: "fn", ...go }, async ({ step }) => {
      await step.run("doubled", async () => {
        bodies.push("doubled");
        if (bodies.length === 2) both.resolve();
        await leave.promise;
      });
      await step.run("next", () => bodies.push("next"));
    }),
  ]);
  await harness.app.client.send({ name: "test/go" });
  await until(() => bodies.length === 1, { what: "the step to begin" });
  // Simulates an executor that was considered dead.
  await harness.query("update call set claimed_by = null");
  await both.promise;
  leave.resolve();
  const [run] = await untilEnded(harness.url, "fn");
  expect(bodies).toEqual(["doubled", "doubled", "next"]);
  // Three steps: doubled, next, end. A second counted response would have caused more.
  expect(run).toMatchObject({ status: "completed", calls: 3 });
});
