import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { clockEnvironment, setClock } from "#tests/support/clock.ts";
import { databaseForFile } from "#tests/support/database.ts";
import { until, untilEnded } from "./executor-harness.ts";
import { startExecutorProcess } from "./executor-process.ts";

const database = databaseForFile();
const go = { triggers: [{ event: "test/go" }] };
const STEPS = ["a", "b", "c"];

/** An app whose steps can be paused, and two executors that share its work. */
const twoExecutors = async (schema: string) => {
  const bodies: string[] = [];
  let connection = Promise.withResolvers<void>();
  connection.resolve();
  const first = await startExecutorProcess(database().url, schema, (client) => [
    client.createFunction(
      { id: "fn", ...go, concurrency: { limit: 2, key: "event.data.user" } },
      async ({ event, step }) => {
        for (const name of STEPS) {
          await step.run(name, async () => {
            bodies.push(`${event.data.n} ${name}`);
            await connection.promise;
          });
        }
      },
    ),
  ]);
  const second = await first.another();
  return {
    ...{ first, second, bodies },
    send: (from: number, to: number) =>
      first.app.client.send(
        Array.from({ length: to - from }, (_, n) => ({ name: "test/go", data: { n: from + n, user: n % 5 } })),
      ),
    hold() {
      connection = Promise.withResolvers();
    },
    release: () => connection.resolve(),
    claims: () =>
      first.query<{ worker: string; count: number }>(
        "select claimed_by as worker, count(*)::int as count from call where claimed_by is not null group by 1",
      ),
    /** Each step has one result and continues the run once: a run has one call per step and one for the end. */
    async check(runs: number) {
      const facts = await first.query<{ steps: number; generation: number; status: string }>(
        `select (select count(*)::int from step where run_id = run.id and completion is not null) as steps,
           generation, status from run`,
      );
      expect(facts).toHaveLength(runs);
      const expected = { steps: STEPS.length, generation: STEPS.length + 1, status: "completed" };
      for (const fact of facts) expect(fact).toEqual(expected);
      expect(await first.query("select 1 from call")).toHaveLength(0);
      expect(new Set(bodies).size).toBe(runs * STEPS.length);
    },
  };
};

test("two executors share the work: limits hold across both, and each result counts once", async () => {
  const harness = await twoExecutors("executor_shared");
  harness.hold();
  await harness.send(0, 15);
  await until(async () => (await harness.claims()).reduce((sum, row) => sum + row.count, 0) === 10, {
    deadlineMs: 60_000,
  });
  harness.release();
  await untilEnded(harness.first.url, "fn", 15);
  await harness.check(15);
  // On a machine that stalls for seconds, a live executor is considered dead and its current work runs twice.
  expect(harness.bodies.length).toBeLessThanOrEqual(15 * STEPS.length + 10);
});

test("kill -9 of one: the other takes over its work within seconds", async () => {
  const harness = await twoExecutors("executor_takeover");
  harness.hold();
  await harness.send(0, 12);
  await until(() => harness.bodies.length >= 10, { what: "all keys to be full", deadlineMs: 60_000 });
  await harness.first.signal("SIGKILL");
  harness.release();
  const [url, ended] = [harness.second.url, harness.first.query];
  await until(async () => (await ended("select 1 from run where status = 'completed'")).length === 12, {
    ...{ what: `all runs to end at ${url}`, deadlineMs: 60_000 },
  });
  await harness.check(12);
  // Only steps of the killed executor, or of one considered dead, may have run twice.
  expect(harness.bodies.length).toBeLessThanOrEqual(12 * STEPS.length + 20);
  await until(async () => (await ended("select 1 from worker")).length === 1, {
    what: "the dead worker to be removed",
  });
});

test("both are killed while applying responses: the runs continue from there", async () => {
  const harness = await twoExecutors("executor_both");
  await harness.send(0, 20);
  await until(() => harness.bodies.length > 12, { what: "work to start", deadlineMs: 60_000 });
  await Promise.all([harness.first.signal("SIGKILL"), harness.second.signal("SIGKILL")]);
  await harness.first.restart();
  await untilEnded(harness.first.url, "fn", 20);
  await harness.check(20);
});

test("a cron job runs once for both", async () => {
  const folder = mkdtempSync(join(tmpdir(), "executor-clock-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = join(folder, "offset");
  const environment = clockEnvironment(clock);
  const earlyInMinute = Date.now() + 62_000 - (Date.now() % 60_000);
  setClock(clock, earlyInMinute);
  let ticks = 0;
  const define = { id: "fn", triggers: [{ cron: "* * * * *" as const }] };
  const first = await startExecutorProcess(
    database().url,
    "executor_crons",
    (client) => [client.createFunction(define, async () => (ticks += 1))],
    environment,
  );
  await until(async () => (await first.query("select 1 from cron_tick")).length === 1, { what: "the schedule" });
  await first.another();
  for (const minute of [1, 2, 3]) {
    setClock(clock, earlyInMinute + minute * 60_000);
    await until(() => ticks >= minute, { what: `tick ${minute}`, deadlineMs: 60_000 });
    await untilEnded(first.url, "fn", minute);
    expect(await first.query("select 1 from run")).toHaveLength(minute);
  }
  expect(ticks).toBe(3);
});
