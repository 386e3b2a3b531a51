import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { clockEnvironment, setClock } from "#tests/support/clock.ts";
import { databaseForFile } from "#tests/support/database.ts";
import { until, untilEnded } from "./executor-harness.ts";
import { startExecutorProcess } from "./executor-process.ts";

const database = databaseForFile();

test("cron starts one run per tick, and after downtime one run for all missed ticks", async () => {
  const folder = mkdtempSync(join(tmpdir(), "executor-clock-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = join(folder, "offset");
  const ticks: { name: string; cron: string; ts: number }[] = [];
  const environment = clockEnvironment(clock);
  // Starts early in a minute, so that no minute ends during the test, and within five minutes of the app's clock.
  const earlyInMinute = Date.now() + 62_000 - (Date.now() % 60_000);
  setClock(clock, earlyInMinute);
  const executor = await startExecutorProcess(
    database().url,
    "executor_cron",
    (client) => [
      client.createFunction({ id: "fn", triggers: [{ cron: "* * * * *" }] }, async ({ event }) => {
        ticks.push({ name: event.name, cron: event.data.cron, ts: event.ts ?? 0 });
      }),
    ],
    environment,
  );
  await until(async () => (await executor.query("select 1 from cron_tick")).length === 1, { what: "the schedule" });
  expect(ticks).toHaveLength(0);
  setClock(clock, earlyInMinute + 60_000);
  await until(() => ticks.length === 1, { what: "the tick", deadlineMs: 60_000 });
  expect(ticks.at(-1)).toMatchObject({ name: "inngest/scheduled.timer", cron: "* * * * *" });
  expect((ticks.at(-1)?.ts ?? 1) % 60_000).toBe(0);
  await executor.signal("SIGTERM");
  setClock(clock, earlyInMinute + 180_000);
  await executor.restart();
  await until(() => ticks.length === 2, { what: "a single tick for all missed ones", deadlineMs: 60_000 });
  await untilEnded(executor.url, "fn", 2);
  expect(ticks).toHaveLength(2);
});
