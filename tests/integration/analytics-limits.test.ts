import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { analyticsSyncs, pinMetrics } from "#db/schema/analytics.ts";
import { emailOutbox } from "#db/schema/email.ts";
import { databaseTime, type FullCtx } from "#lib/context.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { acquireCall, callPinterest } from "#lib/features/analytics/pinterest-calls.ts";
import { readReport } from "#lib/features/analytics/report.ts";
import { reportInput } from "#lib/features/analytics/schema.ts";
import { toReportWire } from "#lib/features/analytics/serializers.ts";
import { isPurgeable, purgeMetrics } from "#lib/features/analytics/stored-metrics.ts";
import { syncAnalytics } from "#lib/features/analytics/sync.ts";
import { sweepSyncs } from "#lib/features/analytics/sync-queue.ts";
import { queueEmail } from "#lib/features/email/delivery.ts";
import { removeAccount } from "#lib/features/publishing/queue.ts";
import { finalDay } from "#tests/support/analytics-seed.ts";
import { connectAccount } from "#tests/support/connect-account.ts";
import { createUser } from "#tests/support/context.ts";
import { NO_PROGRESS, syncHarness } from "./analytics-sync-harness.ts";
import type { Creator } from "./publishing-harness.ts";

const { setup, publish, requestEvent, run, runSync, storedMetrics, syncRow, calls } = syncHarness();

const ANALYTICS = "GET /v5/*analytics*";

const syncOf = async ({ ctx, account }: Creator) => {
  const query = { accountId: account.id, start_date: finalDay(ctx, 6), end_date: finalDay(ctx) };
  return toReportWire(await readReport(ctx, reportInput.parse(query)), ctx).gather;
};

describe("A-83 the calls of one Pinterest account", () => {
  test("are counted together when two users connected it, and a pause applies to both", async () => {
    const creator = await setup.insertCreator();
    const { ctx } = await createUser(setup.harness);
    const duplicate = await connectAccount(ctx, setup.pinterest, creator.account.username);
    const ids = [creator.account.id, duplicate.id];
    const taken: string[] = [];
    for (let n = 0; n < 30; n += 1) {
      for (const accountId of ids) taken.push((await acquireCall(setup.job(), { accountId, purpose: "screen" })).kind);
    }
    // Counted separately they would be 40; on a busy machine some expire meanwhile.
    expect(taken.filter((kind) => kind === "taken").length).toBeLessThan(32);
    await setup.moveClock(MINUTE_MS);
    await setup.pinterest.addFault({ match: ANALYTICS, scenario: "analytics-limited" });
    await publish(creator, 1);
    const request = await requestEvent(creator);
    if (!request) throw new Error("No sync was requested.");
    await syncAnalytics(setup.job(), { ...request, progress: NO_PROGRESS });
    for (const accountId of ids) {
      const place = await acquireCall(setup.job(), { accountId, purpose: "screen" });
      expect(place).toMatchObject({ kind: "later", isRateLimit: false });
    }
    await setup.moveClock(MINUTE_MS);
    const another = await setup.insertCreator();
    for (const accountId of [...ids, another.account.id]) {
      expect((await acquireCall(setup.job(), { accountId, purpose: "screen" })).kind).toBe("taken");
    }
  });

  test("count twice when an expired token repeats the call", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 1);
    await setup.pinterest.addFault({ match: ANALYTICS, scenario: "token-dead" });
    const before = await syncRow(creator);
    expect(before).toBeUndefined();
    const ctx = setup.job();
    const { id: accountId } = creator.account;
    const span = { firstDay: finalDay(creator.ctx, 6), lastDay: finalDay(creator.ctx) };
    const answer = await callPinterest(ctx, { accountId, purpose: "screen" }, (token) =>
      ctx.pinterest.readAccountAnalytics(token, span),
    );
    expect(answer.kind).toBe("ok");
    expect((await calls()).all).toHaveLength(2);
    expect((await syncRow(creator))?.windowCalls).toBe(2);
  });
});

describe("A-83 the report says when a paused sync resumes", () => {
  const begin = async (fault: Parameters<typeof setup.pinterest.addFault>[0]) => {
    const creator = await setup.insertCreator();
    await publish(creator, 3);
    await setup.pinterest.addFault(fault);
    const request = await requestEvent(creator);
    if (!request) throw new Error("No sync was requested.");
    const at = await databaseTime(setup.job());
    await syncAnalytics(setup.job(), { ...request, progress: NO_PROGRESS });
    await setup.pinterest.clearFaults();
    return { creator, request, at };
  };

  test.each([
    ["a failure", { match: ANALYTICS, scenario: "analytics-down" }, 15, "having problems right now"],
    ["too many calls", { match: ANALYTICS, scenario: "analytics-limited" }, 40, "slow down"],
  ])("after %s", async (_, fault, seconds, text) => {
    const { creator, request, at } = await begin(fault);
    const synced = await syncOf(creator);
    expect(synced).toMatchObject({ state: "waiting", text: expect.stringContaining(text) });
    const waits = Date.parse(synced.resumes_at ?? "") - at.getTime();
    expect(waits).toBeGreaterThanOrEqual(seconds * SECOND_MS);
    expect(waits).toBeLessThan((seconds + 10) * SECOND_MS);
    await setup.moveClock(seconds * SECOND_MS + 10 * SECOND_MS);
    expect((await syncOf(creator)).state).toBe("working");
    expect((await run(request)).outcome).toBe("covered");
    expect(await syncOf(creator)).toMatchObject({ state: "idle", resumes_at: null, text: null });
  });

  test("also when a screen hit the rate limit, but not for the normal pace of calls", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 15);
    await setup.pinterest.set({ bulkAnalytics: false });
    const request = await requestEvent(creator);
    if (!request) throw new Error("No sync was requested.");
    const step = await syncAnalytics(setup.job(), { ...request, progress: NO_PROGRESS });
    expect(step).toMatchObject({ kind: "more" });
    expect(await syncOf(creator)).toMatchObject({ state: "working", resumes_at: null });
    const pausedUntil = addMs(await databaseTime(setup.job()), 5 * MINUTE_MS);
    await setup.harness.database.db
      .update(analyticsSyncs)
      .set({ pausedUntil })
      .where(eq(analyticsSyncs.accountId, creator.account.id));
    await syncAnalytics(setup.job(), { ...request, progress: NO_PROGRESS });
    const { state, resumes_at } = await syncOf(creator);
    expect(state).toBe("waiting");
    expect(Math.abs(Date.parse(resumes_at ?? "") - pausedUntil.getTime())).toBeLessThan(2 * SECOND_MS);
  });
});

describe("A-83 runs that the sweep replaced", () => {
  test("end at their next step without reading, and the newest run continues", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 3);
    const request = await requestEvent(creator);
    if (!request) throw new Error("No sync was requested.");
    await setup.moveClock(6 * MINUTE_MS);
    await sweepSyncs(setup.job());
    const sent = setup.harness.sentEvents.at(-1);
    expect(sent?.data).toEqual({ ...request, sweeps: 1 });
    const old = await syncAnalytics(setup.job(), { ...request, progress: NO_PROGRESS });
    expect(old).toEqual({ kind: "done", outcome: "not_needed" });
    expect((await calls()).all).toEqual([]);
    expect((await run({ ...request, sweeps: 1 })).outcome).toBe("covered");
  });

  test("pins that another run has read meanwhile are not requested again", async () => {
    const creator = await setup.insertCreator();
    const pinIds = await publish(creator, 3);
    const request = await requestEvent(creator);
    if (!request) throw new Error("No sync was requested.");
    await run(request);
    await setup.harness.database.db
      .update(analyticsSyncs)
      .set({ wakeAt: addMs(setup.harness.now(), HOUR_MS), finishedAt: null })
      .where(eq(analyticsSyncs.accountId, creator.account.id));
    await setup.pinterest.resetCalls();
    const again = await syncAnalytics(setup.job(), { ...request, progress: { ...NO_PROGRESS, groups: [pinIds] } });
    expect(again).toEqual({ kind: "done", outcome: "covered" });
    expect((await calls()).all).toEqual([]);
  });

  test("are found by the database's clock, not by the process's", async () => {
    const creator = await setup.insertCreator();
    await publish(creator, 1);
    await requestEvent(creator);
    const early: FullCtx = { ...setup.job(), now: () => addMs(setup.harness.now(), DAY_MS) };
    const before = setup.harness.sentEvents.length;
    await sweepSyncs(early);
    const sent = setup.harness.sentEvents.slice(before).map(({ data }) => Object(data).accountId);
    expect(sent).not.toContain(creator.account.id);
  });
});

describe("A-83 deletion of expired metrics", () => {
  test("uses an index and never scans the whole table", async () => {
    const ctx = setup.job();
    const plans = await ctx.db.transaction(async (db) => {
      await db.execute(sql`set local enable_seqscan = off`);
      const found: string[] = [];
      for (const where of isPurgeable(ctx, await databaseTime(ctx))) {
        const query = db.select({ id: pinMetrics.pinId }).from(pinMetrics).where(where).limit(1_000);
        found.push(JSON.stringify(await db.execute(sql`explain ${query}`)));
      }
      return found;
    });
    expect(plans).toHaveLength(2);
    expect(plans[0]).toContain("pin_metrics_age");
    expect(plans[1]).toContain("pin_metrics_account");
    for (const plan of plans) expect(plan).not.toContain("Seq Scan on pin_metrics");
  });

  test("deletes metrics of an account whose removal was interrupted, and no others", async () => {
    const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
    for (const one of [creator, other]) {
      await publish(one, 2);
      await runSync(one);
    }
    const { db } = setup.harness.database;
    await db.update(pinterestAccounts).set({ status: "removed" }).where(eq(pinterestAccounts.id, creator.account.id));
    expect(await purgeMetrics(setup.job())).toBe(2);
    expect([(await storedMetrics(creator)).length, (await storedMetrics(other)).length]).toEqual([0, 2]);
  });

  const week = { firstDay: "2026-11-09", lastDay: "2026-11-15", impressions: 5, impressionsBefore: 4 };
  const reported = { ...week, counted: 1, published: 1, keyword: null, pin: null };
  const postWeek = ({ ctx, userId }: Creator) =>
    queueEmail(ctx, {
      ...{ userId, recipient: "reader@example.com" },
      content: { kind: "weekly_results", firstName: "Ada", week: reported, unsubscribe: { claim: "c", seed: "s" } },
    });
  const kindsOf = async ({ userId }: Creator) => {
    const rows = await setup.job().db.select().from(emailOutbox).where(eq(emailOutbox.userId, userId));
    return rows.map(({ content }) => Object(content).kind).toSorted();
  };

  test("deletes unsent emails with expired metrics, and no others", async () => {
    const creator = await setup.insertCreator();
    await postWeek(creator);
    await queueEmail(creator.ctx, {
      ...{ userId: creator.userId, recipient: "reader@example.com" },
      content: { kind: "password_changed", firstName: "Ada" },
    });
    await setup.moveClock(23 * HOUR_MS);
    await purgeMetrics(setup.job());
    expect(await kindsOf(creator)).toEqual(["password_changed", "weekly_results"]);
    await setup.moveClock(61 * MINUTE_MS);
    await purgeMetrics(setup.job());
    expect(await kindsOf(creator)).toEqual(["password_changed"]);
  });

  test("also deletes them when an account is removed, before any sweep", async () => {
    const [creator, other] = [await setup.insertCreator(), await setup.insertCreator()];
    await postWeek(creator);
    await postWeek(other);
    await removeAccount(creator.ctx, { accountId: creator.account.id });
    expect([await kindsOf(creator), await kindsOf(other)]).toEqual([[], ["weekly_results"]]);
  });
});
