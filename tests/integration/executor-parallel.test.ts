import { NonRetriableError } from "inngest";
import { describe, expect, test } from "vitest";
import { databaseForFile } from "#tests/support/database.ts";
import { startHouse, untilEnded } from "./executor-house.ts";

const database = databaseForFile();
const go = { triggers: [{ event: "test/go" }] };

/** A promise that is settled from outside. */
const gate = () => Promise.withResolvers<void>();

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

test("of a call that was delivered twice, one answer counts and the next step starts once", async () => {
  const bodies: string[] = [];
  const [both, leave] = [gate(), gate()];
  const house = await startHouse(database().url, (client) => [
    client.createFunction({ id: "fn", ...go }, async ({ step }) => {
      await step.run("doubled", async () => {
        bodies.push("doubled");
        if (bodies.length === 2) both.resolve();
        await leave.promise;
      });
      await step.run("next", () => bodies.push("next"));
    }),
  ]);
  await house.app.client.send({ name: "test/go" });
  const queue = `${house.settings.schema}_queue`;
  await expect.poll(() => bodies).toHaveLength(1);
  await house.query(
    `select ${queue}.add_job('advance', json_build_object('runId', run_id, 'target', target, 'generation', generation)) from call`,
  );
  await both.promise;
  leave.resolve();
  const [run] = await untilEnded(house.url, "fn");
  await expect.poll(() => house.query(`select 1 from ${queue}.jobs`)).toHaveLength(0);
  expect(bodies).toEqual(["doubled", "doubled", "next"]);
  expect(house.app.calls).toHaveLength(4);
  // Three generations: doubled, next, end. A second answer that counted would have made more.
  expect(run).toMatchObject({ status: "completed", calls: 3 });
});
