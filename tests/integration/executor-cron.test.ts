import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { clockEnvironment, moveClock } from "#tests/support/clock.ts";
import { databaseForFile } from "#tests/support/database.ts";
import { untilEnded } from "./executor-house.ts";
import { startExecutorProcess } from "./executor-process.ts";

const database = databaseForFile();

test("cron starts one run per tick, and after a pause one for all that were missed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "executor-clock-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = join(folder, "offset");
  const ticks: { name: string; cron: string; ts: number }[] = [];
  const executor = await startExecutorProcess(
    database().url,
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
