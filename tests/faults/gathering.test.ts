import { eq } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { pinFigures, resultGathers } from "#db/schema/analytics.ts";
import { users } from "#db/schema/identity.ts";
import { pins } from "#db/schema/pins.ts";
import { addMs, DAY_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { FORGOTTEN_FIRST_MS } from "#lib/features/analytics/constants.ts";
import { beginGather } from "#lib/features/analytics/gathering-queue.ts";
import { lastFinalDay, shiftDay } from "#lib/features/analytics/policy.ts";
import type { ReportWire } from "#lib/features/analytics/schema.ts";
import { busiestMinute } from "#tests/support/pinterest.ts";
import { until } from "#tests/support/poll.ts";
import { seedPublished } from "#tests/support/results-pins.ts";
import { type Maker, makeMakers } from "./support/makers.ts";
import { productForFile, queueOf } from "./support/product.ts";

const product = productForFile();

const PINS = 90;
/** Whose calls the kills meet, the newest first. Behind the last are more than Pinterest allows in a minute. */
const KILLED_AT = [6, 15, 24];
/** So many of Pinterest's 60 calls a minute gathering may take, whatever dies; screens keep the others. */
const CALLS_A_MINUTE = 50;
const HELD_MS = 20_000;
/** A nap begins a little after it is written down, and is of whole seconds. No longer: else any pace would do. */
const NAP_SPARE_MS = SECOND_MS;
/** Where nothing happens for so long only the clock can go on. In real time, for a machine that has much to do. */
const STILL_MS = 2_000;
const ANALYTICS = /^GET \/v5\/pins\/.*analytics/;

afterEach(() => product().pinterest.clearFaults());

/** Published pins whose figures are read one by one; of some of them the answer takes long. */
const publish = async (maker: Maker): Promise<void> => {
  const { ctx, pinterest, now } = product();
  const { userId, username, accountId, boardId } = maker;
  // Else the weekly mail's own asking may come before the test's.
  await ctx.db
    .update(users)
    .set({ mutedMails: ["weekly_results"] })
    .where(eq(users.id, userId));
  const wanted = Array.from({ length: PINS }, (_, n) => ({
    title: `Pin ${n}`,
    keyword: `keyword ${n % 9}`,
    boardId,
    publishedAt: addMs(now(), -(5 + n * 0.9) * DAY_MS),
  }));
  const ids = await seedPublished(ctx.db, pinterest, { userId, account: { id: accountId, username } }, wanted);
  const rows = await ctx.db.select().from(pins).where(eq(pins.accountId, accountId));
  await pinterest.set({ bulkAnalytics: false });
  for (const at of KILLED_AT) {
    const pinterestPinId = rows.find(({ id }) => id === ids[at])?.pinterestPinId;
    await pinterest.strike({ match: `GET /v5/pins/${pinterestPinId}/analytics`, delayMs: HELD_MS, times: 1 });
  }
};

const countRead = ({ accountId }: Maker): Promise<number> =>
  product().ctx.db.$count(pinFigures, eq(pinFigures.accountId, accountId));

const runOf = async ({ accountId }: Maker) => {
  const [row] = await product().ctx.db.select().from(resultGathers).where(eq(resultGathers.accountId, accountId));
  return row;
};

/** How long until a run's nap is over, as it wrote down; not above 0 while it works, or is about to be woken. */
const napLeftMs = (wakeAt: Date | null | undefined): number =>
  wakeAt ? wakeAt.getTime() - FORGOTTEN_FIRST_MS - product().now().getTime() : 0;

/** Lets naps pass until something is so. Time that is moved while the run is at work would free its calls. */
const sleepUntil = (maker: Maker, isSo: () => Promise<boolean>, what: string) => {
  let still = { state: "", sinceMs: 0 };
  const look = async () => {
    if (await isSo()) return true;
    const { wakeAt } = (await runOf(maker)) ?? {};
    const queue = await queueOf(product());
    const leftMs = napLeftMs(wakeAt);
    if (queue.isIdle && queue.sleeping > 0 && leftMs > 0) {
      await product().passTime(leftMs + NAP_SPARE_MS);
      return false;
    }
    const state = JSON.stringify([wakeAt, queue]);
    if (!queue.isIdle || state !== still.state) still = { state, sinceMs: performance.now() };
    if (performance.now() - still.sinceMs < STILL_MS) return false;
    // What died goes on with the engine's next attempt, or with the sweep: it comes each minute.
    await product().passTime(MINUTE_MS);
    still = { state: "", sinceMs: 0 };
    return false;
  };
  return until(look, { deadlineMs: 60_000, everyMs: 20, what });
};

const begin = async ({ accountId }: Maker): Promise<void> => {
  expect(await beginGather(product().ctx, accountId)).toEqual({ isAsked: true });
};

const hasEnded = (maker: Maker) => async () => (await runOf(maker))?.wakeAt === null;

/** The same days for all reports of a test, though midnight passes. */
const someDays = (): string => {
  const lastDay = lastFinalDay(product().now());
  return `start_date=${shiftDay(lastDay, -6)}&end_date=${shiftDay(lastDay, -1)}`;
};

const reportOf = async ({ user, accountId }: Maker, days: string): Promise<ReportWire> => {
  const answer = await user.call(`/api/users/pinterest/results/${accountId}/report/?${days}`);
  return Object(answer.json);
};

test("A-83 kill -9 of the app, three times, while figures of 90 pins are read one by one: each is read once, in Pinterest's pace", async () => {
  const [maker] = await makeMakers(product(), 1);
  if (!maker) throw new Error("There is one.");
  await publish(maker);
  const days = someDays();
  await product().pinterest.forgetCalls();
  await begin(maker);
  const read: number[] = [];
  for (const at of KILLED_AT.keys()) {
    const isHeld = async () => (await product().pinterest.waitingFaults()).length < KILLED_AT.length - at;
    await sleepUntil(maker, isHeld, `call ${KILLED_AT[at]}`);
    await product().app.kill9("app");
    read.push(await countRead(maker));
    await product().app.restart("app");
  }
  expect(read, "the kills came in the middle").toEqual(KILLED_AT);
  await sleepUntil(maker, hasEnded(maker), "all figures");
  const calls = await product().pinterest.requests(ANALYTICS);
  const report = await reportOf(maker, days);
  expect(report.gather).toMatchObject({ state: "idle", published: PINS, counted: PINS, gone: 0, refused: 0 });
  // Once each, and the one for many that was refused; one that died is told only where it was answered all the same.
  expect(calls.length).toBeGreaterThanOrEqual(PINS + 1);
  expect(calls.length).toBeLessThanOrEqual(PINS + 1 + KILLED_AT.length);
  expect(busiestMinute(calls)).toBeLessThanOrEqual(CALLS_A_MINUTE);
  expect(calls.filter(({ status }) => status === 429)).toEqual([]);

  await product().ctx.db.delete(pinFigures);
  await product().ctx.db.update(resultGathers).set({ bulkRefusedUntil: null });
  await product().pinterest.set({ bulkAnalytics: true });
  await product().passTime(MINUTE_MS);
  await begin(maker);
  await sleepUntil(maker, hasEnded(maker), "the same in one call");
  const { rows, totals } = await reportOf(maker, days);
  expect(totals.impressions).toBeGreaterThan(0);
  expect({ rows, totals }).toEqual({ rows: report.rows, totals: report.totals });
  console.info(
    `gathering, app killed with ${read.join(", ")} of ${PINS} read: ${calls.length} calls, at most ${busiestMinute(calls)} a minute`,
  );
});
