import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pinFigures, resultGathers } from "#db/schema/analytics.ts";
import { letters } from "#db/schema/email.ts";
import { databaseTime, type FullCtx } from "#lib/context.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { gatherResults } from "#lib/features/analytics/gathering.ts";
import { sweepGathers } from "#lib/features/analytics/gathering-queue.ts";
import { callPinterest, takeCall } from "#lib/features/analytics/pinterest-calls.ts";
import { readReport } from "#lib/features/analytics/report.ts";
import { reportInput } from "#lib/features/analytics/schema.ts";
import { toReportWire } from "#lib/features/analytics/serializers.ts";
import { isRetired, retireFigures } from "#lib/features/analytics/stored-figures.ts";
import { postLetter } from "#lib/features/email/delivery.ts";
import { removeAccount } from "#lib/features/publishing/queue.ts";
import { connectAccount } from "#tests/support/connect-account.ts";
import { createUser } from "#tests/support/context.ts";
import { finalDay } from "#tests/support/results-seed.ts";
import { gatheringWorld, NOTHING_LEFT } from "./gathering-house.ts";
import type { Maker } from "./publishing-house.ts";

const { world, publish, ask, run, gather, figures, gatherRow, calls } = gatheringWorld();

const ANALYTICS = "GET /v5/*analytics*";

const gatherOf = async ({ ctx, account }: Maker) => {
  const query = { accountId: account.id, start_date: finalDay(ctx, 6), end_date: finalDay(ctx) };
  return toReportWire(await readReport(ctx, reportInput.parse(query)), ctx).gather;
};

describe("A-83 the calls of one account at Pinterest", () => {
  test("are counted once, though two of our users have connected it, and a pause holds for both", async () => {
    const maker = await world.makeMaker();
    const { ctx } = await createUser(world.house);
    const twin = await connectAccount(ctx, world.pinterest, maker.account.username);
    const ids = [maker.account.id, twin.id];
    const taken: string[] = [];
    for (let n = 0; n < 30; n += 1) {
      for (const accountId of ids) taken.push((await takeCall(world.job(), { accountId, purpose: "screen" })).kind);
    }
    // Each for itself they were 40; on a busy machine some are forgotten meanwhile.
    expect(taken.filter((kind) => kind === "taken").length).toBeLessThan(32);
    await world.moveClock(MINUTE_MS);
    await world.pinterest.strike({ match: ANALYTICS, scenario: "analytics-limited" });
    await publish(maker, 1);
    const request = await ask(maker);
    if (!request) throw new Error("Nothing was asked for.");
    await gatherResults(world.job(), { ...request, walk: NOTHING_LEFT });
    for (const accountId of ids) {
      const place = await takeCall(world.job(), { accountId, purpose: "screen" });
      expect(place).toMatchObject({ kind: "later", isPace: false });
    }
    await world.moveClock(MINUTE_MS);
    const another = await world.makeMaker();
    for (const accountId of [...ids, another.account.id]) {
      expect((await takeCall(world.job(), { accountId, purpose: "screen" })).kind).toBe("taken");
    }
  });

  test("count twice where a token turns out dead and the call is repeated", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 1);
    await world.pinterest.strike({ match: ANALYTICS, scenario: "token-dead" });
    const before = await gatherRow(maker);
    expect(before).toBeUndefined();
    const ctx = world.job();
    const { id: accountId } = maker.account;
    const span = { firstDay: finalDay(maker.ctx, 6), lastDay: finalDay(maker.ctx) };
    const answer = await callPinterest(ctx, { accountId, purpose: "screen" }, (token) =>
      ctx.pinterest.readAccountAnalytics(token, span),
    );
    expect(answer.kind).toBe("ok");
    expect((await calls()).all).toHaveLength(2);
    expect((await gatherRow(maker))?.windowCalls).toBe(2);
  });
});

describe("A-83 a reader is told when it goes on", () => {
  const begin = async (fault: Parameters<typeof world.pinterest.strike>[0]) => {
    const maker = await world.makeMaker();
    await publish(maker, 3);
    await world.pinterest.strike(fault);
    const request = await ask(maker);
    if (!request) throw new Error("Nothing was asked for.");
    const at = await databaseTime(world.job());
    await gatherResults(world.job(), { ...request, walk: NOTHING_LEFT });
    await world.pinterest.clearFaults();
    return { maker, request, at };
  };

  test.each([
    ["a failure", { match: ANALYTICS, scenario: "analytics-down" }, 15, "problem on its side"],
    ["too many calls", { match: ANALYTICS, scenario: "analytics-limited" }, 40, "slow down"],
  ])("after %s", async (_, fault, seconds, text) => {
    const { maker, request, at } = await begin(fault);
    const gathered = await gatherOf(maker);
    expect(gathered).toMatchObject({ state: "waiting", text: expect.stringContaining(text) });
    const waits = Date.parse(gathered.resumes_at ?? "") - at.getTime();
    expect(waits).toBeGreaterThanOrEqual(seconds * SECOND_MS);
    expect(waits).toBeLessThan((seconds + 10) * SECOND_MS);
    await world.moveClock(seconds * SECOND_MS + 10 * SECOND_MS);
    expect((await gatherOf(maker)).state).toBe("working");
    expect((await run(request)).outcome).toBe("covered");
    expect(await gatherOf(maker)).toMatchObject({ state: "idle", resumes_at: null, text: null });
  });

  test("while screens met Pinterest's pause, too; but not while it works in its own pace", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 15);
    await world.pinterest.set({ bulkAnalytics: false });
    const request = await ask(maker);
    if (!request) throw new Error("Nothing was asked for.");
    const move = await gatherResults(world.job(), { ...request, walk: NOTHING_LEFT });
    expect(move).toMatchObject({ kind: "more" });
    expect(await gatherOf(maker)).toMatchObject({ state: "working", resumes_at: null });
    const pausedUntil = addMs(await databaseTime(world.job()), 5 * MINUTE_MS);
    await world.house.database.db
      .update(resultGathers)
      .set({ pausedUntil })
      .where(eq(resultGathers.accountId, maker.account.id));
    await gatherResults(world.job(), { ...request, walk: NOTHING_LEFT });
    const { state, resumes_at } = await gatherOf(maker);
    expect(state).toBe("waiting");
    expect(Math.abs(Date.parse(resumes_at ?? "") - pausedUntil.getTime())).toBeLessThan(2 * SECOND_MS);
  });
});

describe("A-83 runs that the sweep gave up", () => {
  test("end with their next move and read nothing, and the one that was sent last goes on", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 3);
    const request = await ask(maker);
    if (!request) throw new Error("Nothing was asked for.");
    await world.moveClock(6 * MINUTE_MS);
    await sweepGathers(world.job());
    const sent = world.house.sentEvents.at(-1);
    expect(sent?.data).toEqual({ ...request, sweeps: 1 });
    const old = await gatherResults(world.job(), { ...request, walk: NOTHING_LEFT });
    expect(old).toEqual({ kind: "done", outcome: "not_needed" });
    expect((await calls()).all).toEqual([]);
    expect((await run({ ...request, sweeps: 1 })).outcome).toBe("covered");
  });

  test("pins that another run has read meanwhile are not asked for again", async () => {
    const maker = await world.makeMaker();
    const pinIds = await publish(maker, 3);
    const request = await ask(maker);
    if (!request) throw new Error("Nothing was asked for.");
    await run(request);
    await world.house.database.db
      .update(resultGathers)
      .set({ wakeAt: addMs(world.house.now(), HOUR_MS), finishedAt: null })
      .where(eq(resultGathers.accountId, maker.account.id));
    await world.pinterest.forgetCalls();
    const again = await gatherResults(world.job(), { ...request, walk: { ...NOTHING_LEFT, groups: [pinIds] } });
    expect(again).toEqual({ kind: "done", outcome: "covered" });
    expect((await calls()).all).toEqual([]);
  });

  test("D8 are found by the database's clock, whatever a process believes", async () => {
    const maker = await world.makeMaker();
    await publish(maker, 1);
    await ask(maker);
    const early: FullCtx = { ...world.job(), now: () => addMs(world.house.now(), DAY_MS) };
    const before = world.house.sentEvents.length;
    await sweepGathers(early);
    const sent = world.house.sentEvents.slice(before).map(({ data }) => Object(data).accountId);
    expect(sent).not.toContain(maker.account.id);
  });
});

describe("D8 A-83 what is deleted with its hours", () => {
  test("is found by an index, and the whole table is never read", async () => {
    const ctx = world.job();
    const plans = await ctx.db.transaction(async (db) => {
      await db.execute(sql`set local enable_seqscan = off`);
      const found: string[] = [];
      for (const where of isRetired(ctx, await databaseTime(ctx))) {
        const query = db.select({ id: pinFigures.pinId }).from(pinFigures).where(where).limit(1_000);
        found.push(JSON.stringify(await db.execute(sql`explain ${query}`)));
      }
      return found;
    });
    expect(plans).toHaveLength(2);
    expect(plans[0]).toContain("pin_figures_age");
    expect(plans[1]).toContain("pin_figures_account");
    for (const plan of plans) expect(plan).not.toContain("Seq Scan on pin_figures");
  });

  test("figures of an account whose removal was cut short go too, and no others", async () => {
    const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
    for (const one of [maker, other]) {
      await publish(one, 2);
      await gather(one);
    }
    const { db } = world.house.database;
    await db.update(pinterestAccounts).set({ status: "removed" }).where(eq(pinterestAccounts.id, maker.account.id));
    expect(await retireFigures(world.job())).toBe(2);
    expect([(await figures(maker)).length, (await figures(other)).length]).toEqual([0, 2]);
  });

  const week = { firstDay: "2026-11-09", lastDay: "2026-11-15", impressions: 5, impressionsBefore: 4 };
  const told = { ...week, counted: 1, published: 1, keyword: null, pin: null };
  const postWeek = ({ ctx, userId }: Maker) =>
    postLetter(ctx, {
      ...{ userId, recipient: "reader@example.com" },
      letter: { kind: "weekly_results", firstName: "Ada", week: told, unsubscribe: { claim: "c", seed: "s" } },
    });
  const kindsOf = async ({ userId }: Maker) => {
    const rows = await world.job().db.select().from(letters).where(eq(letters.userId, userId));
    return rows.map(({ content }) => Object(content).kind).toSorted();
  };

  test("mails that tell figures and could not be sent go with the same hours, others stay", async () => {
    const maker = await world.makeMaker();
    await postWeek(maker);
    await postLetter(maker.ctx, {
      ...{ userId: maker.userId, recipient: "reader@example.com" },
      letter: { kind: "password_changed", firstName: "Ada" },
    });
    await world.moveClock(23 * HOUR_MS);
    await retireFigures(world.job());
    expect(await kindsOf(maker)).toEqual(["password_changed", "weekly_results"]);
    await world.moveClock(61 * MINUTE_MS);
    await retireFigures(world.job());
    expect(await kindsOf(maker)).toEqual(["password_changed"]);
  });

  test("and with an account that is removed, before any sweep", async () => {
    const [maker, other] = [await world.makeMaker(), await world.makeMaker()];
    await postWeek(maker);
    await postWeek(other);
    await removeAccount(maker.ctx, { accountId: maker.account.id });
    expect([await kindsOf(maker), await kindsOf(other)]).toEqual([[], ["weekly_results"]]);
  });
});
