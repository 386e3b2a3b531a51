import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Inngest, InngestFunction } from "inngest";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "#sandbox/inngest/database.ts";
import { proveLife } from "#sandbox/inngest/liveness.ts";
import { type InngestOptions, startInngest } from "#sandbox/inngest/server.ts";
import { clockEnvironment, moveClock } from "#tests/support/clock.ts";
import { databaseForFile } from "#tests/support/database.ts";
import {
  type Look,
  lookInto,
  runsOf,
  settingsFor,
  startApp,
  startHouse,
  type TestApp,
  untilEnded,
  untilReady,
} from "./executor-house.ts";

const database = databaseForFile();
const go = { triggers: [{ event: "test/go" }] };
const gate = () => Promise.withResolvers<void>();

/** An executor process that can be killed and started again at the same address. */
interface ExecutorProcess {
  url: string;
  app: TestApp;
  settings: InngestOptions;
  query: Look;
  signal(name: NodeJS.Signals): Promise<void>;
  restart(): Promise<void>;
}

async function startExecutorProcess(
  schema: string,
  define: (client: Inngest) => InngestFunction.Any[],
  environment: Record<string, string> = {},
): Promise<ExecutorProcess> {
  const app = await startApp(define);
  const settings = settingsFor(app, database().url, schema);
  let child = await spawnExecutor(settings, environment);
  onTestFinished(() => end(child.process, "SIGKILL"));
  app.connectTo(child.url);
  await untilReady(child.url);
  settings.port = Number(new URL(child.url).port);
  return {
    url: child.url,
    app,
    settings,
    query: lookInto(settings.databaseUrl, schema),
    signal: (name) => end(child.process, name),
    restart: async () => {
      child = await spawnExecutor(settings, environment);
    },
  };
}

async function spawnExecutor(settings: InngestOptions, environment: Record<string, string>) {
  const script = join(import.meta.dirname, "executor-child.ts");
  const child = spawn(process.execPath, [script, JSON.stringify(settings)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...environment },
  });
  for await (const line of createInterface({ input: child.stdout })) return { process: child, url: line };
  throw new Error("The executor ended before it listened");
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await gone;
}

test("kill -9 of the executor during a sleep: it wakes in time after the restart", async () => {
  const bodies: string[] = [];
  const before = gate();
  const executor = await startExecutorProcess("executor_sleep", (client) => [
    client.createFunction({ id: "fn", ...go }, async ({ step }) => {
      await step.run("before", () => bodies.push("before"));
      before.resolve();
      await step.sleep("nap", "2s");
      await step.run("after", () => bodies.push("after"));
    }),
  ]);
  await executor.app.client.send({ name: "test/go" });
  await before.promise;
  await expect.poll(() => executor.query("select 1 from step where kind = 'sleep'")).toHaveLength(1);
  await executor.signal("SIGKILL");
  await executor.restart();
  const [run] = await untilEnded(executor.url, "fn");
  expect(run?.status).toBe("completed");
  expect(bodies).toEqual(["before", "after"]);
});

test("kill -9 of the executor in the middle of a step: the step runs again at once, the others do not", async () => {
  const bodies: string[] = [];
  const [entered, leave] = [gate(), gate()];
  const executor = await startExecutorProcess("executor_step", (client) => [
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
  const restartedAt = performance.now();
  const [run] = await untilEnded(executor.url, "fn");
  expect(performance.now() - restartedAt).toBeLessThan(5_000);
  expect(run?.status).toBe("completed");
  expect(bodies).toEqual(["one", "two", "two", "three"]);
  leave.resolve();
  expect(await runsOf(executor.url, "fn")).toHaveLength(1);
  expect(await executor.query("select 1 from worker")).toHaveLength(1);
});

test("only the work of a process that is gone is unlocked", async () => {
  const [entered, leave] = [gate(), gate()];
  const executor = await startExecutorProcess("executor_two", (client) => [
    client.createFunction({ id: "fn", ...go }, async ({ step }) => {
      await step.run("long", async () => {
        entered.resolve();
        await leave.promise;
      });
    }),
  ]);
  const db = openDatabase(executor.settings.databaseUrl, "executor_two", () => {});
  onTestFinished(() => db.close());
  const bystander = await proveLife(db, () => {});
  const locked = "select 1 from executor_two_queue.jobs where locked_by is not null";
  await executor.app.client.send({ name: "test/go" });
  await entered.promise;
  expect(await bystander.unlockDead()).toBe(0);
  expect(await executor.query(locked)).toHaveLength(1);
  await executor.signal("SIGKILL");
  await expect.poll(() => bystander.unlockDead(), { timeout: 5_000 }).toBe(1);
  expect(await executor.query(locked)).toHaveLength(0);
  expect(await executor.query("select 1 from worker")).toHaveLength(0);
  leave.resolve();
  await bystander.close();
});

test("an app that is down for a while loses nothing and counts no attempt", async () => {
  const attempts: string[] = [];
  const entered = gate();
  const house = await startHouse(database().url, (client) => [
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
  await house.app.client.send({ name: "test/go" });
  await entered.promise;
  await house.app.down();
  const held = async () => (await runsOf(house.url, "fn"))[0]?.error;
  await expect.poll(held, { timeout: 5_000 }).toContain("did not answer");
  await expect.poll(() => house.query("select 1 from call where failures >= 2"), { timeout: 5_000 }).toHaveLength(1);
  await house.app.up();
  const [run] = await untilEnded(house.url, "fn");
  expect(run).toMatchObject({ status: "completed", error: null });
  expect(attempts).toEqual(["first 0", "first 0", "second 0"]);
});

test("close waits for a running call and takes up no other", async () => {
  const bodies: string[] = [];
  const [entered, leave] = [gate(), gate()];
  const house = await startHouse(database().url, (client) => [
    client.createFunction({ id: "fn", ...go }, async ({ step }) => {
      await step.run("one", async () => {
        entered.resolve();
        await leave.promise;
        bodies.push("one");
      });
      await step.run("two", () => bodies.push("two"));
    }),
  ]);
  await house.app.client.send({ name: "test/go" });
  await entered.promise;
  const closed = house.close();
  leave.resolve();
  await closed;
  expect(bodies).toEqual(["one"]);
  const [step] = await house.query<{ name: string }>("select name from step where completion is not null");
  expect(step?.name).toBe("one");
  expect(await house.query("select 1 from worker")).toHaveLength(0);
  await using again = await startInngest({ ...house.settings, port: Number(new URL(house.url).port), log: () => {} });
  await untilEnded(again.url, "fn");
  expect(bodies).toEqual(["one", "two"]);
});

test("close cuts a call that takes too long; it comes due again", async () => {
  const entered = gate();
  let turns = 0;
  const house = await startHouse(
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
  await house.app.client.send({ name: "test/go" });
  await entered.promise;
  const startedAt = performance.now();
  await house.close();
  expect(performance.now() - startedAt).toBeLessThan(3_000);
  await using again = await startInngest({ ...house.settings, port: Number(new URL(house.url).port), log: () => {} });
  const [run] = await untilEnded(again.url, "fn");
  expect(run?.status).toBe("completed");
  expect(turns).toBe(2);
});

test("cron starts one run per tick, and after a pause one for all that were missed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "executor-clock-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = join(folder, "offset");
  const ticks: { name: string; cron: string; ts: number }[] = [];
  const executor = await startExecutorProcess(
    "executor_cron",
    (client) => [
      client.createFunction({ id: "fn", triggers: [{ cron: "* * * * *" }] }, async ({ event }) => {
        ticks.push({ name: event.name, cron: event.data.cron, ts: event.ts ?? 0 });
      }),
    ],
    clockEnvironment(clock),
  );
  await expect.poll(() => executor.query("select 1 from cron_tick"), { timeout: 5_000 }).toHaveLength(1);
  await executor.query("update cron_tick set last_at = $1", [new Date(Date.now()).toISOString()]);
  const before = ticks.length;
  moveClock(clock, 60_000);
  await expect.poll(() => ticks.length, { timeout: 5_000 }).toBe(before + 1);
  expect(ticks.at(-1)).toMatchObject({ name: "inngest/scheduled.timer", cron: "* * * * *" });
  expect((ticks.at(-1)?.ts ?? 1) % 60_000).toBe(0);
  await executor.signal("SIGTERM");
  moveClock(clock, 240_000);
  await executor.restart();
  await expect.poll(() => ticks.length, { timeout: 5_000 }).toBe(before + 2);
  await untilEnded(executor.url, "fn", before + 2);
  expect(ticks).toHaveLength(before + 2);
});
