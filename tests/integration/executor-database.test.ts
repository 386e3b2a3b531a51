import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "#sandbox/inngest/database.ts";
import { startInngest } from "#sandbox/inngest/server.ts";
import { databaseForFile } from "#tests/support/database.ts";
import { settingsFor, startApp, startHarness, until, untilEnded } from "./executor-harness.ts";
import { startDatabaseProxy } from "./executor-proxy.ts";

const database = databaseForFile();
const go = { triggers: [{ event: "test/go" }] };
const RUNS = 8;

const startBehindProxy = async () => {
  const bodies: string[] = [];
  const proxy = await startDatabaseProxy(database().url);
  const harness = await startHarness(
    proxy.url,
    (client) => [
      client.createFunction({ id: "fn", ...go }, async ({ event, step }) => {
        for (const name of ["a", "b", "c"]) await step.run(name, () => bodies.push(`${event.data.n} ${name}`));
        await step.sleep("nap", "1s");
        await step.run("d", () => bodies.push(`${event.data.n} d`));
      }),
    ],
    { statementTimeoutMs: 1_500 },
  );
  const send = () =>
    harness.app.client.send(Array.from({ length: RUNS }, (_, n) => ({ name: "test/go", data: { n } })));
  const check = async () => {
    const runs = await untilEnded(harness.url, "fn", RUNS, 60_000);
    expect(runs.every((run) => run.status === "completed")).toBe(true);
    expect(new Set(bodies).size).toBe(RUNS * 4);
    expect(await harness.query("select 1 from call")).toHaveLength(0);
  };
  return { ...{ proxy, harness, bodies, send, check } };
};

test("no run is lost when connections are cut repeatedly and the database is down for a while", async () => {
  const { proxy, harness, bodies, send, check } = await startBehindProxy();
  await send();
  for (const count of [3, 9, 15]) {
    await until(() => bodies.length >= count, { what: `${count} steps`, deadlineMs: 60_000 });
    proxy.cut();
  }
  proxy.setOpen(false);
  proxy.cut();
  const refused = await fetch(`${harness.url}/health`);
  expect(refused.status).toBe(503);
  proxy.setOpen(true);
  await check();
});

test("statements that hang on a dead connection time out, and their work is repeated", async () => {
  const { proxy, bodies, send, check } = await startBehindProxy();
  await send();
  await until(() => bodies.length >= 6, { what: "work to start", deadlineMs: 60_000 });
  proxy.freeze();
  await check();
});

test("open steps of an ended run do not delay others", async () => {
  const harness = await startHarness(database().url, (client) => [
    client.createFunction({ id: "fn", ...go }, async ({ step }) => {
      await step.sleep("nap", "1s");
    }),
  ]);
  await harness.app.client.send({ name: "test/go" });
  await untilEnded(harness.url, "fn");
  await harness.query(
    `insert into step (run_id, id, name, kind, is_inline, planned_at, due_at, attempts)
     select run.id, n::text, '', 'sleep', false, started_at, started_at, 0 from run, generate_series(1, 600) n`,
  );
  await harness.app.client.send({ name: "test/go" });
  await untilEnded(harness.url, "fn", 2);
});

test("old ended runs are deleted in any number; what an active old run needs stays", async () => {
  const harness = await startHarness(database().url, (client) => [client.createFunction({ id: "fn", ...go }, () => 1)]);
  await harness.close();
  await harness.query(
    `insert into event select n::text, n::text, 'test/old', '{}', now() - interval '8 days', true from generate_series(1, 2500) n`,
  );
  await harness.query(
    `insert into run (id, function_id, event_id, lane, rank, status, version, generation, completions, started_at, ended_at)
     select n::text, 'fn', n::text, '[]', now(), case n when 1 then 'running' else 'completed' end, 0, 1, 0, now(),
       case n when 1 then null when 2 then now() else now() - interval '7 days 1 minute' end from generate_series(1, 2500) n`,
  );
  const executor = await startInngest({ ...harness.settings, log: () => {} });
  onTestFinished(() => executor.close());
  const left = async (table: string) =>
    (await harness.query(`select id from ${table} order by id`)).map(({ id }) => id);
  await until(async () => (await left("event")).length === 2, { what: "the old rows to be deleted" });
  expect([await left("run"), await left("event")]).toEqual([
    ["1", "2"],
    ["1", "2"],
  ]);
});

test("several executors that poll the same runs do not interfere", async () => {
  const harness = await startHarness(database().url, (client) => [client.createFunction({ id: "fn", ...go }, () => 1)]);
  await harness.close();
  await harness.query(`insert into event values ('e', 'e', 'test/asleep', '{}', now(), true)`);
  await harness.query(
    `insert into run (id, function_id, event_id, lane, rank, status, version, generation, completions, started_at)
     select n::text, 'fn' || n, 'e', '["fn"]', now(), 'running', 0, 1, 0, now() from generate_series(1, 600) n`,
  );
  await harness.query(
    `insert into step (run_id, id, name, kind, is_inline, planned_at, due_at, attempts)
     select id, 'nap', 'nap', 'sleep', false, now(), now(), 0 from run`,
  );
  const db = openDatabase({ databaseUrl: database().url, schema: harness.settings.schema ?? "", log: () => {} });
  onTestFinished(() => db.close());
  const isLeft = async () => (await harness.query("select 1 from step where completion is null limit 1")).length > 0;
  const poll = async () => {
    while (await isLeft()) await db.query("select wake_due(now(), 3)", []);
  };
  await Promise.all(Array.from({ length: 8 }, poll));
  const facts = await harness.query(
    "select version, run.generation, completions, count(*)::int from run join call on run_id = id group by 1, 2, 3",
  );
  expect(facts).toEqual([{ version: 1, generation: 2, completions: 1, count: 600 }]);
});

test("tables of an older executor are recreated with a log line; those of a newer one are left unchanged", async () => {
  const app = await startApp((client) => [client.createFunction({ id: "fn", ...go }, async () => 1)]);
  const client = new pg.Client({ connectionString: database().url });
  await client.connect();
  onTestFinished(() => client.end());
  const settings = settingsFor(app, database().url, "executor_old");
  for (const schema of ["executor_old", "executor_old_queue"]) await client.query(`create schema ${schema}`);
  await client.query("create table executor_old.layout (version int primary key)");
  await client.query("create table executor_old.run (id text)");
  await client.query("insert into executor_old.layout values (1)");
  const log: string[] = [];
  const executor = await startInngest({ ...settings, log: (line) => log.push(line) });
  app.connectTo(executor.url);
  await app.client.send({ name: "test/go" });
  await untilEnded(executor.url, "fn");
  await executor.close();
  expect(log.join()).toMatch(/replaced schema "executor_old", version 1,/);
  const taken = startInngest({ ...settings, port: Number(new URL(app.url).port), log: () => {} });
  await expect(taken).rejects.toThrow(/EADDRINUSE/);
  await client.query("update executor_old.layout set version = 999");
  await expect(startInngest({ ...settings, log: () => {} })).rejects.toThrow(/version 999/);
  const connections = "select 1 from pg_stat_activity where application_name = 'executor_old'";
  await until(async () => (await client.query(connections)).rowCount === 0, {
    ...{ what: "the failed executors to close their connections", deadlineMs: 20_000 },
  });
});
