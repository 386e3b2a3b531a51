import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "#sandbox/inngest/database.ts";
import { registerWorker } from "#sandbox/inngest/liveness.ts";
import { startInngest } from "#sandbox/inngest/server.ts";
import { databaseForFile } from "#tests/support/database.ts";
import { runsOf, startHarness, until, untilEnded } from "./executor-harness.ts";
import { startExecutorProcess } from "./executor-process.ts";

const database = databaseForFile();
const go = { triggers: [{ event: "test/go" }] };
const gate = () => Promise.withResolvers<void>();

test("kill -9 of the executor during a sleep: the run continues after the restart, and not early", async () => {
  const bodies: string[] = [];
  const before = gate();
  const executor = await startExecutorProcess(database().url, "executor_sleep", (client) => [
    client.createFunction({ id: "fn", ...go }, async ({ step }) => {
      await step.run("before", () => bodies.push("before"));
      before.resolve();
      await step.sleep("nap", "8s");
      await step.run("after", () => bodies.push("after"));
    }),
  ]);
  await executor.app.client.send({ name: "test/go" });
  await before.promise;
  await until(async () => (await executor.query("select 1 from step where kind = 'sleep'")).length === 1);
  await executor.signal("SIGKILL");
  await executor.restart();
  const [run] = await untilEnded(executor.url, "fn");
  expect(run?.status).toBe("completed");
  expect(bodies).toEqual(["before", "after"]);
  const early = "select 1 from run join step on run_id = run.id where kind = 'sleep' and ended_at < due_at";
  expect(await executor.query(early)).toHaveLength(0);
});

test("kill -9 of the executor during a step: only that step runs again", async () => {
  const bodies: string[] = [];
  const [entered, leave] = [gate(), gate()];
  const executor = await startExecutorProcess(database().url, "executor_step", (client) => [
    client.createFunction({ id: "fn", ...go, concurrency: { limit: 1, key: "event.data.user" } }, async ({ step }) => {
      await step.run("one", () => bodies.push("one"));
      await step.run("two", async () => {
        bodies.push("two");
        entered.resolve();
        if (bodies.filter((name) => name === "two").length === 1) await leave.promise;
      });
      await step.run("three", () => bodies.push("three"));
    }),
  ]);
  await executor.app.client.send({ name: "test/go", data: { user: "u1" } });
  await entered.promise;
  await executor.signal("SIGKILL");
  await executor.restart();
  const [run] = await untilEnded(executor.url, "fn");
  expect(run?.status).toBe("completed");
  expect(bodies).toEqual(["one", "two", "two", "three"]);
  leave.resolve();
  expect(await runsOf(executor.url, "fn")).toHaveLength(1);
  await until(async () => (await executor.query("select 1 from worker")).length === 1, {
    what: "the dead worker to be removed",
  });
});

test("only the work of an ended process is taken over", async () => {
  const [entered, leave] = [gate(), gate()];
  const executor = await startExecutorProcess(database().url, "executor_two", (client) => [
    client.createFunction({ id: "fn", ...go }, async ({ step }) => {
      await step.run("long", async () => {
        entered.resolve();
        await leave.promise;
      });
    }),
  ]);
  const db = openDatabase({ databaseUrl: executor.settings.databaseUrl, schema: "executor_two", log: () => {} });
  onTestFinished(() => db.close());
  const bystander = await registerWorker(db, "http://127.0.0.1:1", () => {});
  const claimed = "select 1 from call where claimed_by is not null";
  await executor.app.client.send({ name: "test/go" });
  await entered.promise;
  expect(await bystander.releaseDead()).toBe(0);
  expect(await executor.query(claimed)).toHaveLength(1);
  await executor.signal("SIGKILL");
  await until(async () => (await bystander.releaseDead()) === 1, { what: "the dead worker to be removed" });
  expect(await executor.query(claimed)).toHaveLength(0);
  await until(async () => (await executor.query("select 1 from worker")).length === 1, {
    what: "the dead worker to be removed",
  });
  leave.resolve();
  await bystander.close();
  expect(await executor.query("select 1 from worker")).toHaveLength(0);
});

test("an app that is down for a while loses nothing and counts no attempt", async () => {
  const attempts: string[] = [];
  const entered = gate();
  const harness = await startHarness(database().url, (client) => [
    client.createFunction({ id: "fn", ...go, retries: 0 }, async ({ step, attempt }) => {
      await step.run("first", async () => {
        attempts.push(`first ${attempt}`);
        if (attempts.length > 1) return;
        entered.resolve();
        await new Promise(() => {});
      });
      await step.run("second", () => attempts.push(`second ${attempt}`));
    }),
  ]);
  await harness.app.client.send({ name: "test/go" });
  await entered.promise;
  await harness.app.down();
  await until(async () => (await runsOf(harness.url, "fn"))[0]?.error?.includes("did not respond"));
  await until(async () => (await harness.query("select 1 from call where failures >= 2")).length === 1);
  await harness.app.up();
  const [run] = await untilEnded(harness.url, "fn");
  expect(run).toMatchObject({ status: "completed", error: null });
  expect(attempts).toEqual(["first 0", "first 0", "second 0"]);
});

test("an executor that loses every database connection continues and renews its heartbeat", async () => {
  const bodies: string[] = [];
  const [entered, leave] = [gate(), gate()];
  const harness = await startHarness(database().url, (client) => [
    client.createFunction({ id: "fn", ...go }, async ({ step }) => {
      await step.run("one", async () => {
        bodies.push("one");
        entered.resolve();
        await leave.promise;
      });
      await step.run("two", () => bodies.push("two"));
    }),
  ]);
  await harness.app.client.send({ name: "test/go" });
  await entered.promise;
  const cut =
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and pid <> pg_backend_pid()";
  expect((await harness.query(cut, [harness.settings.schema])).length).toBeGreaterThan(1);
  leave.resolve();
  const [run] = await untilEnded(harness.url, "fn");
  expect(run?.status).toBe("completed");
  expect(bodies).toEqual(["one", "two"]);
  const connection =
    "select 1 from pg_locks, worker where locktype = 'advisory' and granted and (classid::bigint << 32 | objid::bigint) = lock_id";
  await until(async () => (await harness.query(connection)).length === 1, { what: "the lock to be held again" });
});

test("close waits for a running call and starts no other", async () => {
  const bodies: string[] = [];
  const [entered, leave] = [gate(), gate()];
  const harness = await startHarness(database().url, (client) => [
    client.createFunction({ id: "fn", ...go }, async ({ step }) => {
      await step.run("one", async () => {
        entered.resolve();
        await leave.promise;
        bodies.push("one");
      });
      await step.run("two", () => bodies.push("two"));
    }),
  ]);
  await harness.app.client.send({ name: "test/go" });
  await entered.promise;
  // A slow background task must not delay the detection of the exit.
  const other = new pg.Client({ connectionString: database().url });
  await other.connect();
  await other.query(`begin; lock table ${harness.settings.schema}.worker in access exclusive mode`);
  const lockWaits = "select 1 from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'";
  await until(async () => (await harness.query(lockWaits, [harness.settings.schema])).length > 0, {
    what: "a background task to wait for the lock",
  });
  const closed = harness.close();
  leave.resolve();
  await until(async () => (await harness.query("select 1 from step where completion is not null")).length > 0);
  await other.end();
  await closed;
  expect(bodies).toEqual(["one"]);
  const [step] = await harness.query<{ name: string }>("select name from step where completion is not null");
  expect(step?.name).toBe("one");
  expect(await harness.query("select 1 from worker")).toHaveLength(0);
  await using again = await startInngest({
    ...harness.settings,
    port: Number(new URL(harness.url).port),
    log: () => {},
  });
  await untilEnded(again.url, "fn");
  expect(bodies).toEqual(["one", "two"]);
});

test("close aborts a call that takes too long; the call becomes due again", async () => {
  const entered = gate();
  let turns = 0;
  const harness = await startHarness(
    database().url,
    (client) => [
      client.createFunction({ id: "fn", ...go, retries: 0 }, async ({ step, attempt }) => {
        await step.run("endless", async () => {
          turns += 1;
          entered.resolve();
          if (turns === 1) await new Promise(() => {});
          return attempt;
        });
      }),
    ],
    { drainMs: 200 },
  );
  await harness.app.client.send({ name: "test/go" });
  await entered.promise;
  await harness.close();
  await using again = await startInngest({
    ...harness.settings,
    port: Number(new URL(harness.url).port),
    log: () => {},
  });
  const [run] = await untilEnded(again.url, "fn");
  expect(run?.status).toBe("completed");
  expect(turns).toBe(2);
});
