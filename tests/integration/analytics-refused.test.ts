import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { users } from "#db/schema/identity.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { syncRequested } from "#lib/features/analytics/schema.ts";
import { requestWeeklySyncs } from "#lib/features/analytics/weekly.ts";
import { syncHarness } from "./analytics-sync-harness.ts";
import type { Creator } from "./publishing-harness.ts";

const { setup, publish, run, runSync, storedMetrics, syncRow, calls } = syncHarness();

const ANALYTICS = "GET /v5/*analytics*";
const SINGLE = "GET /v5/pins/:id/analytics";

const QUARTER_MS = 15 * MINUTE_MS;
/** The number of cron runs from 5 AM until noon. */
const RUNS = 28;
const ONCE = [1, ...Array.from({ length: RUNS - 1 }, () => 0)];

/** A user with published pins, early on the next Monday in their time zone. */
const creatorOnMonday = async (count: number): Promise<Creator> => {
  // Users of earlier tests get no weekly email.
  await setup.harness.database.db.update(users).set({ mutedEmails: ["weekly_results"] });
  const creator = await setup.insertCreator();
  await setup.harness.database.db.update(users).set({ timeZone: "UTC" }).where(eq(users.id, creator.userId));
  await publish(creator, count);
  const now = setup.harness.now();
  const midnight = Date.parse(now.toISOString().slice(0, 10));
  const days = (8 - now.getUTCDay()) % 7 || 7;
  await setup.moveClock(midnight + days * DAY_MS + 5 * HOUR_MS + MINUTE_MS - now.getTime());
  return creator;
};

/** Runs the 15-minute cron and the syncs it starts. @returns the number of syncs */
const runCron = async (): Promise<number> => {
  const before = setup.harness.sentEvents.length;
  const startedAt = setup.harness.now().getTime();
  await requestWeeklySyncs(setup.job());
  const begun = setup.harness.sentEvents.slice(before).filter(({ name }) => name === "analytics/sync.requested");
  for (const { data } of begun) await run(syncRequested.parse(data));
  // A run with repeated failures takes longer than that.
  await setup.moveClock(QUARTER_MS - ((setup.harness.now().getTime() - startedAt) % QUARTER_MS));
  return begun.length;
};

/** The number of syncs started in each 15-minute interval. */
const runMorning = async (): Promise<number[]> => {
  const begun: number[] = [];
  for (let at = 0; at < RUNS; at += 1) begun.push(await runCron());
  return begun;
};

test("A-83 an account that Pinterest refuses costs a dozen calls on a Monday morning, and no more", async () => {
  await creatorOnMonday(60);
  await setup.pinterest.addFault({ match: ANALYTICS, scenario: "analytics-refused", forever: true });
  expect(await runMorning()).toEqual(ONCE);
  expect((await calls()).all).toHaveLength(12);
});

test.each([
  ["missing-scope", "lost"],
  ["trial-access", "refused"],
  ["restricted-feature", "refused"],
  ["spam-block", "refused"],
])("A-83 a failure that needs the user is tried once on a Monday morning: %s", async (scenario, heldBy) => {
  const creator = await creatorOnMonday(3);
  await setup.pinterest.addFault({ match: ANALYTICS, scenario, forever: true });
  expect(await runMorning()).toEqual(ONCE);
  expect((await calls()).all.length).toBeLessThanOrEqual(2);
  expect([await storedMetrics(creator), (await syncRow(creator))?.heldBy]).toEqual([[], heldBy]);
  // The user may retry at any time.
  await setup.pinterest.clearFaults();
  if (heldBy === "refused") expect((await runSync(creator)).outcome).toBe("covered");
  if (heldBy === "refused") expect(await syncRow(creator)).toMatchObject({ heldBy: null, problemText: null });
});

test("A-83 an outage after a refused pin is not a refusal: the account is retried", async () => {
  const creator = await creatorOnMonday(20);
  await setup.pinterest.set({ bulkAnalytics: false });
  await setup.pinterest.addFault({ match: SINGLE, scenario: "analytics-refused" });
  await setup.pinterest.addFault({ match: SINGLE, scenario: "analytics-down", forever: true });
  expect([await runCron(), (await storedMetrics(creator)).map(({ state }) => state)]).toEqual([1, ["refused"]]);
  expect(await syncRow(creator)).toMatchObject({
    heldBy: "failing",
    problemText: expect.stringContaining("having problems"),
  });
  await setup.pinterest.clearFaults();
  expect([await runCron(), await runCron()]).toEqual([1, 0]);
  expect((await storedMetrics(creator)).filter(({ state }) => state === "ready")).toHaveLength(19);
});

test("A-83 an account with some answered pins, or without an answer, is retried", async () => {
  const creator = await creatorOnMonday(20);
  await setup.pinterest.set({ bulkAnalytics: false });
  await setup.pinterest.addFault({ match: ANALYTICS, scenario: "analytics-refused", skip: 5, times: 15 });
  expect([await runCron(), (await storedMetrics(creator)).filter(({ state }) => state === "ready").length]).toEqual([
    1, 4,
  ]);
  await setup.pinterest.clearFaults();
  await setup.pinterest.addFault({ match: ANALYTICS, scenario: "analytics-down", forever: true });
  expect([await runCron(), await runCron()]).toEqual([1, 1]);
  await setup.pinterest.clearFaults();
  expect([await runCron(), await runCron()]).toEqual([1, 0]);
  expect((await storedMetrics(creator)).map(({ state }) => state).toSorted()).toEqual([
    ...Array.from({ length: 9 }, () => "ready"),
    ...Array.from({ length: 11 }, () => "refused"),
  ]);
});
