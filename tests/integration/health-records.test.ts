import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { healthMinutes } from "#db/schema/health.ts";
import { recordHealth } from "#inngest/functions/maintenance.ts";
import type { Container } from "#lib/composition.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { readUptime, recordMinute } from "#lib/features/health/uptime.ts";
import { RETENTION_RULES } from "#lib/features/privacy/retention.ts";
import { contextOf, createTestHarness, type TestHarness } from "#tests/support/context.ts";
import { databaseForFile } from "#tests/support/database.ts";
import { startHarness, until } from "./executor-harness.ts";

/** Well within a minute, so that a slow test stays within it. */
const NOON = new Date("2026-11-20T12:00:05Z");
const database = databaseForFile();
let harness: TestHarness;

// Durable functions use the process's container; here that is the test's.
const PLACE = Symbol.for("app.container");
const processPlace: typeof globalThis & { [PLACE]?: Container } = globalThis;

beforeAll(() => {
  harness = createTestHarness({ databaseUrl: database().url, storageDir: "/nonexistent" });
  processPlace[PLACE] = harness;
});
afterAll(async () => {
  delete processPlace[PLACE];
  await harness.close();
});
beforeEach(async () => {
  await database().db.delete(healthMinutes);
  await setClock(NOON);
});

const job = () => contextOf(harness, { kind: "job", name: "test" });
const setClock = (at: Date) => harness.moveClock(at.getTime() - harness.now().getTime());
const minute = (text: string) => new Date(`2026-11-20T${text}:00Z`);
const store = (minutes: Date[]) =>
  database()
    .db.insert(healthMinutes)
    .values(minutes.map((at) => ({ minute: at })));
const everyMinute = (from: Date, to: Date) =>
  Array.from({ length: (to.getTime() - from.getTime()) / MINUTE_MS }, (_, n) => addMs(from, n * MINUTE_MS));
const stored = async () => (await database().db.select().from(healthMinutes)).map((row) => row.minute.toISOString());
const shares = async () =>
  (await readUptime(job())).windows.map(({ recordedMinutes, elapsedMinutes }) => [recordedMinutes, elapsedMinutes]);

test("A-39 records a minute once, on the database's clock", async () => {
  const ctx = job();
  const firsts = await Promise.all(Array.from({ length: 5 }, () => recordMinute(ctx)));
  expect(firsts.filter(({ isNew }) => isNew)).toHaveLength(1);
  await setClock(addMs(NOON, 3 * MINUTE_MS));
  // A process whose clock is an hour ahead must not record future minutes.
  harness.skewClock(HOUR_MS);
  await recordMinute(job());
  harness.skewClock(-HOUR_MS);
  expect((await stored()).toSorted()).toEqual(["2026-11-20T12:00:00.000Z", "2026-11-20T12:03:00.000Z"]);
});

test("A-39 reports no measurements as null and excludes the current minute", async () => {
  expect(await readUptime(job())).toMatchObject({ since: null, outages: [] });
  expect(await shares()).toEqual([
    [0, 0],
    [0, 0],
    [0, 0],
    [0, 0],
  ]);
  await recordMinute(job());
  expect(await readUptime(job())).toMatchObject({ since: "2026-11-20T12:00:00.000Z", outages: [] });
  expect((await shares())[0]).toEqual([0, 0]);
});

test("A-39 uptime is recorded over elapsed minutes, counted from the first record", async () => {
  await store(everyMinute(minute("09:00"), minute("12:00")).filter((at) => ![20, 21, 22].includes(at.getUTCMinutes())));
  const report = await readUptime(job());
  expect(report.windows.map((one) => [one.recordedMinutes, one.elapsedMinutes, one.isWhole])).toEqual(
    Array.from({ length: 4 }, () => [171, 180, false]),
  );
  expect(report.days).toHaveLength(90);
  expect(report.days.at(-1)).toEqual({ day: "2026-11-20", recordedMinutes: 171, elapsedMinutes: 180 });
  expect(report.days.slice(0, -1).every(({ elapsedMinutes }) => elapsedMinutes === 0)).toBe(true);
  expect(report.outages).toEqual(
    ["11", "10", "09"].map((hour) => ({
      from: minute(`${hour}:20`).toISOString(),
      until: minute(`${hour}:23`).toISOString(),
      minutes: 3,
    })),
  );
});

test("A-39 each period counts its own minutes; missing minutes at the end count as down", async () => {
  const hours = Array.from({ length: 91 * 24 }, (_, n) => addMs(minute("11:00"), -n * HOUR_MS));
  await store(hours);
  const report = await readUptime(job());
  expect(report.windows.map((one) => [one.recordedMinutes, one.elapsedMinutes, one.isWhole])).toEqual([
    [24, 1_440, true],
    [168, 10_080, true],
    [720, 43_200, true],
    [2_160, 129_600, true],
  ]);
  expect(report.outages[0]).toEqual({ from: minute("11:01").toISOString(), until: null, minutes: 59 });
  expect(report.outages).toHaveLength(10);
  expect(report.days.map(({ recordedMinutes }) => recordedMinutes)).toEqual([
    ...Array.from({ length: 89 }, () => 24),
    12,
  ]);
  expect(report.days.at(0)).toMatchObject({ day: "2026-08-23", elapsedMinutes: 1_440 });
});

test("A-39 keeps the first minute even after a gap of more than 90 days", async () => {
  await store([addMs(minute("12:00"), -400 * DAY_MS), addMs(minute("12:00"), -399 * DAY_MS), minute("11:59")]);
  expect(await RETENTION_RULES.minutes(job())).toBe(1);
  const report = await readUptime(job());
  expect(report.windows.at(-1)).toMatchObject({ recordedMinutes: 1, elapsedMinutes: 129_600 });
  expect(report.outages).toEqual([
    {
      from: addMs(minute("12:00"), -90 * DAY_MS).toISOString(),
      until: minute("11:59").toISOString(),
      minutes: 129_599,
    },
  ]);
});

test("deletes minutes after 91 days without changing the report", async () => {
  await store(everyMinute(addMs(minute("12:00"), -92 * DAY_MS), addMs(minute("12:00"), -90 * DAY_MS + HOUR_MS)));
  const before = await shares();
  expect(await RETENTION_RULES.minutes(job())).toBeGreaterThan(1_400);
  expect(await RETENTION_RULES.minutes(job())).toBe(0);
  expect(await shares()).toEqual(before);
});

test("A-39 the durable engine records every minute", async () => {
  const define = () => [recordHealth];
  const before = await startHarness(database().url, define, { schema: "executor_health" });
  await until(async () => (await before.query("select 1 from cron_tick")).length === 1, { what: "the schedule" });
  await before.close();
  // After a missed tick the engine immediately runs the latest one.
  await before.query("update cron_tick set last_at = last_at - interval '5 minutes'");
  await startHarness(database().url, define, { schema: "executor_health" });
  const [recorded = ""] = await until(async () => {
    const minutes = await stored();
    return minutes.length > 0 ? minutes : null;
  });
  expect(recorded >= minute("12:00").toISOString() && recorded <= harness.now().toISOString(), recorded).toBe(true);
});
