import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "#sandbox/inngest/database.ts";
import { startInngest } from "#sandbox/inngest/server.ts";
import { databaseForFile } from "#tests/support/database.ts";
import { layCable } from "./executor-cable.ts";
import { settingsFor, startApp, startHouse, until, untilEnded } from "./executor-house.ts";

const database = databaseForFile();
const go = { triggers: [{ event: "test/go" }] };
const RUNS = 8;

const houseOnCable = async () => {
  const bodies: string[] = [];
  const cable = await layCable(database().url);
  const house = await startHouse(
    cable.url,
    (client) => [
      client.createFunction({ id: "fn", ...go }, async ({ event, step }) => {
        for (const name of ["a", "b", "c"]) await step.run(name, () => bodies.push(`${event.data.n} ${name}`));
        await step.sleep("nap", "1s");
        await step.run("d", () => bodies.push(`${event.data.n} d`));
      }),
    ],
    { statementTimeoutMs: 1_500 },
  );
  const send = () => house.app.client.send(Array.from({ length: RUNS }, (_, n) => ({ name: "test/go", data: { n } })));
  const check = async () => {
    const runs = await untilEnded(house.url, "fn", RUNS, 60_000);
    expect(runs.every((run) => run.status === "completed")).toBe(true);
    expect(new Set(bodies).size).toBe(RUNS * 4);
    expect(await house.query("select 1 from call")).toHaveLength(0);
  };
  return { ...{ cable, house, bodies, send, check } };
};

test("connections cut again and again, and a database that is away for a while: no run is lost", async () => {
  const { cable, house, bodies, send, check } = await houseOnCable();
  await send();
  for (const count of [3, 9, 15]) {
    await until(() => bodies.length >= count, { what: `${count} steps`, deadlineMs: 60_000 });
    cable.cut();
  }
  cable.setOpen(false);
  cable.cut();
  const refused = await fetch(`${house.url}/health`);
  expect(refused.status).toBe(503);
  cable.setOpen(true);
  await check();
});

test("statements that hang on a dead cable end, and what they were for is done again", async () => {
  const { cable, bodies, send, check } = await houseOnCable();
  await send();
  await until(() => bodies.length >= 6, { what: "work to be under way", deadlineMs: 60_000 });
  cable.freeze();
  await check();
});

test("steps that an ended run left behind hold nobody up", async () => {
  const house = await startHouse(database().url, (client) => [
    client.createFunction({ id: "fn", ...go }, async ({ step }) => {
      await step.sleep("nap", "1s");
    }),
  ]);
  await house.app.client.send({ name: "test/go" });
  await untilEnded(house.url, "fn");
  await house.query(
    `insert into step (run_id, id, name, kind, is_inline, planned_at, due_at, attempts)
     select run.id, n::text, '', 'sleep', false, started_at, started_at, 0 from run, generate_series(1, 600) n`,
  );
  await house.app.client.send({ name: "test/go" });
  await untilEnded(house.url, "fn", 2);
});

test("what ended long ago is deleted, however much it is; what an old run still needs stays", async () => {
  const house = await startHouse(database().url, (client) => [client.createFunction({ id: "fn", ...go }, () => 1)]);
  await house.close();
  await house.query(
    `insert into event select n::text, n::text, 'test/old', '{}', now() - interval '8 days', true from generate_series(1, 2500) n`,
  );
  await house.query(
    `insert into run (id, function_id, event_id, lane, rank, status, version, generation, completions, started_at, ended_at)
     select n::text, 'fn', n::text, '[]', now(), case n when 1 then 'running' else 'completed' end, 0, 1, 0, now(),
       case n when 1 then null when 2 then now() else now() - interval '7 days 1 minute' end from generate_series(1, 2500) n`,
  );
  const executor = await startInngest({ ...house.settings, log: () => {} });
  onTestFinished(() => executor.close());
  const left = async (table: string) => (await house.query(`select id from ${table} order by id`)).map(({ id }) => id);
  await until(async () => (await left("event")).length === 2, { what: "the old to be deleted" });
  expect([await left("run"), await left("event")]).toEqual([
    ["1", "2"],
    ["1", "2"],
  ]);
});

test("several executors that wake the same runs do not get in each other's way", async () => {
  const house = await startHouse(database().url, (client) => [client.createFunction({ id: "fn", ...go }, () => 1)]);
  await house.close();
  await house.query(`insert into event values ('e', 'e', 'test/asleep', '{}', now(), true)`);
  await house.query(
    `insert into run (id, function_id, event_id, lane, rank, status, version, generation, completions, started_at)
     select n::text, 'fn' || n, 'e', '["fn"]', now(), 'running', 0, 1, 0, now() from generate_series(1, 600) n`,
  );
  await house.query(
    `insert into step (run_id, id, name, kind, is_inline, planned_at, due_at, attempts)
     select id, 'nap', 'nap', 'sleep', false, now(), now(), 0 from run`,
  );
  const db = openDatabase({ databaseUrl: database().url, schema: house.settings.schema ?? "", log: () => {} });
  onTestFinished(() => db.close());
  const isLeft = async () => (await house.query("select 1 from step where completion is null limit 1")).length > 0;
  const wake = async () => {
    while (await isLeft()) await db.query("select wake_due(now(), 3)", []);
  };
  await Promise.all(Array.from({ length: 8 }, wake));
  const facts = await house.query(
    "select version, run.generation, completions, count(*)::int from run join call on run_id = id group by 1, 2, 3",
  );
  expect(facts).toEqual([{ version: 1, generation: 2, completions: 1, count: 600 }]);
});

test("what an older executor left is made anew, with a word about it; a newer one's is left alone", async () => {
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
  expect(log.join()).toMatch(/"executor_old" had layout 1 and is made anew/);
  const taken = startInngest({ ...settings, port: Number(new URL(app.url).port), log: () => {} });
  await expect(taken).rejects.toThrow(/EADDRINUSE/);
  await client.query("update executor_old.layout set version = 999");
  await expect(startInngest({ ...settings, log: () => {} })).rejects.toThrow(/layout 999/);
  const connections = "select 1 from pg_stat_activity where application_name = 'executor_old'";
  await until(async () => (await client.query(connections)).rowCount === 0, {
    ...{ what: "executors that could not start to let go of their connections", deadlineMs: 20_000 },
  });
});
