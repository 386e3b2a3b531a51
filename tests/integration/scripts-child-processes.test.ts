import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { openDatabase } from "#db/client.ts";
import { createDatabase, startPostgres } from "#scripts/postgres.ts";
import { type ChildSpec, createSupervisor, identityOf, isRunning } from "#scripts/processes.ts";
import { inRepository } from "#scripts/root.ts";
import { until } from "#tests/support/poll.ts";

const folder = mkdtempSync(join(tmpdir(), "child-processes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sleeper: ChildSpec = {
  name: "sleeper",
  args: ["-e", "process.send('ready'); process.on('disconnect', () => {}); setInterval(() => {}, 1000)"],
  env: {},
  logFile: join(folder, "sleeper.log"),
  ending: { order: 1, signal: "SIGTERM", graceMs: 5_000 },
  ready: "message",
};

test("a child ends when its parent is killed with -9", async () => {
  const source = `
    import { startChild } from ${JSON.stringify(inRepository("scripts", "processes.ts"))};
    const child = await startChild(${JSON.stringify(sleeper)});
    console.log(child.pid);
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ["--input-type=module-typescript", "-e", source]);
  const pid = await new Promise<number>((resolve) => parent.stdout.once("data", (data) => resolve(Number(data))));
  const identity = identityOf(pid);
  expect(identity).toBeDefined();
  parent.kill("SIGKILL");
  await until(() => !isRunning(pid, identity ?? ""), { what: "the child to exit" });
});

test("a child that dies is restarted, and stays ended at shutdown", async () => {
  const lines: string[] = [];
  let pids: number[] = [];
  const supervisor = createSupervisor(
    (line) => lines.push(line),
    (children) => {
      pids = children.map(({ pid }) => pid);
    },
  );
  await supervisor.start([sleeper]);
  const [first = 0] = pids;
  process.kill(first, "SIGKILL");
  await until(() => lines.includes("sleeper is running again"), { what: "the second child" });
  const [second = 0] = pids;
  expect(second).not.toBe(first);
  await supervisor.end();
  expect(identityOf(second)).toBeUndefined();
});

test("a child that ends before it is ready is reported with the end of its log", async () => {
  const broken = { ...sleeper, name: "broken", args: ["-e", "console.error('no luck'); process.exit(3)"] };
  const supervisor = createSupervisor(
    () => {},
    () => {},
  );
  await expect(supervisor.start([broken])).rejects.toThrow(/broken ended with code 3[\s\S]*no luck/);
  await supervisor.end();
});

test("a running PostgreSQL is reused, and is started again after kill -9 with its data", async () => {
  const dataDir = join(inRepository(".test"), `postgres-${process.pid}`);
  const first = await startPostgres({ dataDir, durable: true });
  const keptUrl = await createDatabase(first.url, "kept");
  const again = await startPostgres({ dataDir, durable: true });
  expect(again.pid).toBe(first.pid);
  process.kill(first.pid, "SIGKILL");
  await until(() => !isRunning(first.pid, first.identity), { what: "the server to exit" });
  const revived = await startPostgres({ dataDir, durable: true, port: first.port });
  expect(revived.pid).not.toBe(first.pid);
  const { db, close } = openDatabase(keptUrl, 1);
  expect(await db.execute(sql`select current_database() as name`)).toMatchObject([{ name: "kept" }]);
  await close();
  expect(readFileSync(join(dataDir, "server.log"), "utf8")).toContain("automatic recovery in progress");
  await revived.stop();
  rmSync(dataDir, { recursive: true, force: true });
});
