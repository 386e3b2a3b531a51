import { eq } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { analyticsSyncs, pinMetrics } from "#db/schema/analytics.ts";
import { users } from "#db/schema/identity.ts";
import { pins } from "#db/schema/pins.ts";
import { addMs, DAY_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { STALLED_FIRST_MS } from "#lib/features/analytics/constants.ts";
import { lastFinalDay, shiftDay } from "#lib/features/analytics/policy.ts";
import type { ReportWire } from "#lib/features/analytics/schema.ts";
import { startSync } from "#lib/features/analytics/sync-queue.ts";
import { seedPublished } from "#tests/support/analytics-pins.ts";
import { busiestMinute } from "#tests/support/pinterest.ts";
import { until } from "#tests/support/poll.ts";
import { type Creator, insertCreators } from "./support/creators.ts";
import { productForFile, queueOf } from "./support/product.ts";

const product = productForFile();

const PINS = 90;
/** The calls during which the app is killed. The last is followed by more than Pinterest allows in a minute. */
const KILLED_AT = [6, 15, 24];
/** How many of Pinterest's 60 calls a minute a sync may make; the others are reserved for screens. */
const CALLS_A_MINUTE = 50;
const FAULT_MS = 20_000;
/** Delays start a little after they are recorded, and are whole seconds. A larger margin would hide a wrong pace. */
const DELAY_MARGIN_MS = SECOND_MS;
/** After this long without activity (in real time) the clocks must be advanced. */
const IDLE_MS = 2_000;
const ANALYTICS = /^GET \/v5\/pins\/.*analytics/;

afterEach(() => product().pinterest.clearFaults());

/** Published pins whose metrics are fetched one by one, some with a slow response. */
const seedPins = async (creator: Creator): Promise<void> => {
  const { ctx, pinterest, now } = product();
  const { userId, username, accountId, boardId } = creator;
  // The weekly email could request a sync before the test does.
  await ctx.db
    .update(users)
    .set({ mutedEmails: ["weekly_results"] })
    .where(eq(users.id, userId));
  const expected = Array.from({ length: PINS }, (_, n) => ({
    title: `Pin ${n}`,
    keyword: `keyword ${n % 9}`,
    boardId,
    publishedAt: addMs(now(), -(5 + n * 0.9) * DAY_MS),
  }));
  const ids = await seedPublished(ctx.db, pinterest, { userId, account: { id: accountId, username } }, expected);
  const rows = await ctx.db.select().from(pins).where(eq(pins.accountId, accountId));
  await pinterest.set({ bulkAnalytics: false });
  for (const at of KILLED_AT) {
    const pinterestPinId = rows.find(({ id }) => id === ids[at])?.pinterestPinId;
    await pinterest.addFault({ match: `GET /v5/pins/${pinterestPinId}/analytics`, delayMs: FAULT_MS, times: 1 });
  }
};

const countSynced = ({ accountId }: Creator): Promise<number> =>
  product().ctx.db.$count(pinMetrics, eq(pinMetrics.accountId, accountId));

const syncOf = async ({ accountId }: Creator) => {
  const [row] = await product().ctx.db.select().from(analyticsSyncs).where(eq(analyticsSyncs.accountId, accountId));
  return row;
};

/** Time until a run's recorded delay ends; 0 or less while it works or is about to wake. */
const delayLeftMs = (wakeAt: Date | null | undefined): number =>
  wakeAt ? wakeAt.getTime() - STALLED_FIRST_MS - product().now().getTime() : 0;

/** Advances delays until the condition holds. Moving time while a run works would release its rate limit. */
const advanceUntil = (creator: Creator, condition: () => Promise<boolean>, what: string) => {
  let idle = { state: "", sinceMs: 0 };
  const poll = async () => {
    if (await condition()) return true;
    const { wakeAt } = (await syncOf(creator)) ?? {};
    const queue = await queueOf(product());
    const leftMs = delayLeftMs(wakeAt);
    if (queue.isIdle && queue.sleeping > 0 && leftMs > 0) {
      await product().passTime(leftMs + DELAY_MARGIN_MS);
      return false;
    }
    const state = JSON.stringify([wakeAt, queue]);
    if (!queue.isIdle || state !== idle.state) idle = { state, sinceMs: performance.now() };
    if (performance.now() - idle.sinceMs < IDLE_MS) return false;
    // A dead run continues with the engine's next attempt, or with the sweep every minute.
    await product().passTime(MINUTE_MS);
    idle = { state: "", sinceMs: 0 };
    return false;
  };
  return until(poll, { deadlineMs: 60_000, everyMs: 20, what });
};

const startSyncFor = async ({ accountId }: Creator): Promise<void> => {
  expect(await startSync(product().ctx, accountId)).toEqual({ isRequested: true });
};

const hasEnded = (creator: Creator) => async () => (await syncOf(creator))?.wakeAt === null;

/** The same days for all reports, even across midnight. */
const reportDays = (): string => {
  const lastDay = lastFinalDay(product().now());
  return `start_date=${shiftDay(lastDay, -6)}&end_date=${shiftDay(lastDay, -1)}`;
};

const reportOf = async ({ user, accountId }: Creator, days: string): Promise<ReportWire> => {
  const answer = await user.call(`/api/users/pinterest/results/${accountId}/report/?${days}`);
  return Object(answer.json);
};

test("A-83 kill -9 of the app, three times, during the sync of 90 pins: each is fetched once, within Pinterest's rate limit", async () => {
  const [creator] = await insertCreators(product(), 1);
  if (!creator) throw new Error("There is one.");
  await seedPins(creator);
  const days = reportDays();
  await product().pinterest.resetCalls();
  await startSyncFor(creator);
  const read: number[] = [];
  for (const at of KILLED_AT.keys()) {
    const isHeld = async () => (await product().pinterest.remainingFaults()).length < KILLED_AT.length - at;
    await advanceUntil(creator, isHeld, `call ${KILLED_AT[at]}`);
    await product().app.kill9("app");
    read.push(await countSynced(creator));
    await product().app.restart("app");
  }
  expect(read, "the kills came in the middle").toEqual(KILLED_AT);
  await advanceUntil(creator, hasEnded(creator), "all figures");
  const calls = await product().pinterest.requests(ANALYTICS);
  const report = await reportOf(creator, days);
  expect(report.gather).toMatchObject({ state: "idle", published: PINS, counted: PINS, gone: 0, refused: 0 });
  // Once each, plus the refused bulk call; a killed call is logged only if it was answered.
  expect(calls.length).toBeGreaterThanOrEqual(PINS + 1);
  expect(calls.length).toBeLessThanOrEqual(PINS + 1 + KILLED_AT.length);
  expect(busiestMinute(calls)).toBeLessThanOrEqual(CALLS_A_MINUTE);
  expect(calls.filter(({ status }) => status === 429)).toEqual([]);

  await product().ctx.db.delete(pinMetrics);
  await product().ctx.db.update(analyticsSyncs).set({ bulkRefusedUntil: null });
  await product().pinterest.set({ bulkAnalytics: true });
  await product().passTime(MINUTE_MS);
  await startSyncFor(creator);
  await advanceUntil(creator, hasEnded(creator), "the same in one call");
  const { rows, totals } = await reportOf(creator, days);
  expect(totals.impressions).toBeGreaterThan(0);
  expect({ rows, totals }).toEqual({ rows: report.rows, totals: report.totals });
  console.info(
    `gathering, app killed with ${read.join(", ")} of ${PINS} read: ${calls.length} calls, at most ${busiestMinute(calls)} a minute`,
  );
});
