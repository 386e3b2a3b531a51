import { eq, inArray } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { analyticsSyncs } from "#db/schema/analytics.ts";
import { pins } from "#db/schema/pins.ts";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { IMPRESSIONS_MIN, TEXTS } from "#lib/features/analytics/constants.ts";
import { firstAvailableDay, shiftDay } from "#lib/features/analytics/policy.ts";
import { finalDay, type SeededPin, seedAccount, seedPins } from "#tests/support/analytics-seed.ts";
import { createRandom } from "#tests/support/random.ts";
import { analyticsHarness, report } from "./analytics-harness.ts";

const { harness, publisher } = analyticsHarness();

const WINNER = "linen bedroom";
const SMALL = ["mushroom lamp", "clay bench", "tiny loft"];

/**
 * 40 keywords, 50 pins each: one has a 3 % click rate, the others 1 to 2 %, and three have clicks but few impressions.
 */
const plantedPins = (): SeededPin[] => {
  const random = createRandom(7);
  const others = Array.from({ length: 36 }, (_, n) => `keyword ${n}`);
  return random.shuffled(
    [WINNER, ...SMALL, ...others].flatMap((keyword, n) =>
      Array.from({ length: 50 }, (_, pin): SeededPin => {
        const isSmall = SMALL.includes(keyword);
        const impressions = isSmall ? (pin === 0 ? 20 : 0) : 80 + random.below(60);
        const rate = keyword === WINNER ? 0.03 : 0.01 + (n % 10) / 1_000;
        const outboundClicks = isSmall ? impressions / 4 : Math.round(impressions * rate);
        return { row: { keyword }, daily: { impressions, outboundClicks, pinClicks: outboundClicks * 2, saves: 1 } };
      }),
    ),
  );
};

describe("A-83 which keyword earned the clicks", () => {
  test("A-83 the planted winner among 40 keywords and 2,000 pins comes first; small ones are undecided", async () => {
    const own = await publisher();
    await seedPins(own.ctx, own.accountId, plantedPins());
    const { rows, totals, more, undecided: early, uncounted, gather } = await report(own);
    expect([rows.length, more, early, uncounted]).toEqual([40, 0, SMALL.length, 0]);
    expect(rows[0]).toMatchObject({ key: WINNER, label: WINNER, pins: 50, counted_pins: 50, is_undecided: false });
    const [low = 0, rate = 0, high = 0] = [rows[0]?.click_rate_low, rows[0]?.click_rate, rows[0]?.click_rate_high].map(
      Number,
    );
    expect([low < rate, rate < high, rate > 0.025, low > Number(rows[1]?.click_rate_high)]).toEqual(
      Array.from({ length: 4 }, () => true),
    );
    const undecided = rows.filter(({ is_undecided }) => is_undecided);
    expect(undecided.map(({ key }) => key).toSorted()).toEqual(SMALL.toSorted());
    expect(rows.slice(-3)).toEqual(undecided);
    // A higher rate than the winner, but from only 140 impressions.
    expect(undecided.map(({ click_rate }) => click_rate)).toEqual([0.25, 0.25, 0.25]);
    expect(undecided[0]?.figures.impressions).toBeLessThan(IMPRESSIONS_MIN);
    expect(totals.impressions).toBe(rows.reduce((sum, { figures }) => sum + figures.impressions, 0));
    expect(gather).toMatchObject({ state: "idle", published: 2_000, counted: 2_000, gone: 0, refused: 0 });
  });

  test("A-83 spellings of a keyword are merged and labeled with the most frequent one", async () => {
    const own = await publisher();
    const typed = [
      "Slow  Bread",
      "slow bread",
      "Slow Bread ",
      "Slow Bread",
      "Slow Bread",
      "ÉCLAIR",
      "éclair",
      null,
      "",
    ];
    await seedPins(
      own.ctx,
      own.accountId,
      typed.map((keyword) => ({ row: { keyword }, daily: { impressions: 10 } })),
    );
    expect((await report(own)).rows.map(({ key, label, pins }) => [key, label, pins])).toEqual([
      ["slow bread", "Slow Bread", 5],
      ["", "No keyword", 2],
      ["éclair", "ÉCLAIR", 2],
    ]);
  });

  test("A-83 sums exactly the requested days, from the first known to the last final one", async () => {
    const own = await publisher();
    await seedPins(own.ctx, own.accountId, [{ daily: (day) => ({ impressions: 2 ** (day % 20), saves: day }) }]);
    const first = firstAvailableDay(own.ctx.now());
    const sums = async (start: number, end: number) => {
      const query = { start_date: shiftDay(first, start), end_date: shiftDay(first, end) };
      const { impressions, saves } = (await report(own, query)).totals;
      return [impressions, saves];
    };
    expect(await sums(0, 0)).toEqual([1, 0]);
    expect(await sums(3, 3)).toEqual([8, 3]);
    expect(await sums(0, 3)).toEqual([15, 6]);
    expect(await sums(85, 87)).toEqual([2 ** 5 + 2 ** 6 + 2 ** 7, 85 + 86 + 87]);
    // Yesterday and today are not final, so they have no data.
    expect(await sums(87, 89)).toEqual([2 ** 7, 87]);
    expect(await sums(88, 89)).toEqual([0, 0]);
    expect((await sums(0, 89))[1]).toBe((87 * 88) / 2);
  });

  test("A-83 metrics with different first days, or without a final day, count by their own days", async () => {
    const own = await publisher();
    const [first, last] = [finalDay(own.ctx, 9), finalDay(own.ctx, 3)];
    const impressions = [1, 3, 6, 10, 15, 21, 28];
    const lists = {
      impressions,
      pinClicks: [...impressions],
      outboundClicks: [...impressions],
      saves: [...impressions],
    };
    const none = { impressions: [], pinClicks: [], outboundClicks: [], saves: [] };
    await seedPins(own.ctx, own.accountId, [
      { metrics: { firstDay: first, readyThrough: last, ...lists } },
      { metrics: { firstDay: finalDay(own.ctx), readyThrough: null, ...none } },
    ]);
    const sum = async (start: number, end: number) =>
      (await report(own, { start_date: finalDay(own.ctx, start), end_date: finalDay(own.ctx, end) })).totals
        .impressions;
    expect([await sum(30, 0), await sum(9, 9), await sum(8, 7), await sum(4, 0)]).toEqual([28, 1, 5, 13]);
    expect([await sum(2, 0), await sum(40, 10)]).toEqual([0, 0]);
    expect((await report(own)).rows).toMatchObject([{ pins: 2, counted_pins: 2 }]);
  });
});

describe("A-83 the scope of a report", () => {
  test.each([
    ["the wrong way round", 0, 3, TEXTS.rangeInvalid],
    ["too old", 88, 0, TEXTS.rangeTooOld],
    ["in the future", 0, -3, TEXTS.rangeInFuture],
  ])("A-83 days that are %s are rejected with a reason", async (_, start, end, text) => {
    const own = await publisher();
    const query = { start_date: finalDay(own.ctx, start), end_date: finalDay(own.ctx, end) };
    await expect(report(own, query)).rejects.toMatchObject({ code: "invalid", message: text });
  });

  test("R-API-31 foreign, unknown, malformed and removed accounts are not found", async () => {
    const [own, other] = [await publisher(), await publisher()];
    const removed = await seedAccount(own.ctx);
    await own.ctx.db.update(pinterestAccounts).set({ status: "removed" }).where(eq(pinterestAccounts.id, removed));
    for (const accountId of [other.accountId, removed, `acc_${"z".repeat(26)}`, "1", "acc_%"]) {
      await expect(report({ ctx: own.ctx, accountId })).rejects.toMatchObject({ code: "not_found" });
    }
  });

  test("A-83 only published pins of the account count; deleted pins are gone with their metrics", async () => {
    const own = await publisher();
    const another = await seedAccount(own.ctx);
    const seen = { daily: { impressions: 100 } };
    const ids = await seedPins(own.ctx, own.accountId, [seen, seen, seen, seen]);
    await seedPins(own.ctx, another, [seen]);
    const [draft = "", failed = "", deleted = ""] = ids;
    await own.ctx.db
      .update(pins)
      .set({ status: "draft" })
      .where(inArray(pins.id, [draft]));
    await own.ctx.db
      .update(pins)
      .set({ status: "failed" })
      .where(inArray(pins.id, [failed]));
    expect(await report(own)).toMatchObject({ rows: [{ pins: 2 }], totals: { impressions: 1_400 } });
    await own.ctx.db.delete(pins).where(eq(pins.id, deleted));
    expect(await report(own)).toMatchObject({ rows: [{ pins: 1 }], totals: { impressions: 700 } });
  });

  test("A-83 answers without pins and without metrics", async () => {
    const own = await publisher();
    expect(await report(own)).toMatchObject({
      rows: [],
      more: 0,
      totals: { impressions: 0 },
      gather: { published: 0 },
    });
    await seedPins(own.ctx, own.accountId, [{ daily: null }]);
    const { rows, gather } = await report(own);
    expect(rows).toMatchObject([
      { pins: 1, counted_pins: 0, click_rate: null, click_rate_low: null, is_undecided: true },
    ]);
    expect(gather).toMatchObject({ published: 1, counted: 0, oldest_at: null, newest_at: null });
  });

  test("A-83 says how many pins have metrics, are deleted or refused, and how old the metrics are", async () => {
    const own = await publisher();
    const now = own.ctx.now();
    const none = { impressions: [], pinClicks: [], outboundClicks: [], saves: [], readyThrough: null };
    const [old, older] = [addMs(now, -HOUR_MS), addMs(now, -2 * HOUR_MS)];
    await seedPins(own.ctx, own.accountId, [
      { daily: { impressions: 5 }, metrics: { fetchedAt: old } },
      { daily: { impressions: 5 }, metrics: { fetchedAt: older } },
      { metrics: { state: "gone", ...none, fetchedAt: addMs(now, -9 * DAY_MS) } },
      { metrics: { state: "refused", ...none } },
      { daily: null },
    ]);
    const { rows, gather } = await report(own);
    expect(rows).toMatchObject([{ pins: 5, counted_pins: 2, figures: { impressions: 70 } }]);
    expect(gather).toMatchObject({ published: 5, counted: 2, gone: 1, refused: 1, oldest_at: older.toISOString() });
    expect(gather.newest_at).toBe(old.toISOString());
  });

  test("A-83 day-old metrics are hidden even before they are deleted", async () => {
    const own = await publisher();
    const fetchedAt = addMs(own.ctx.now(), -(DAY_MS - 5 * MINUTE_MS));
    await seedPins(own.ctx, own.accountId, [{ daily: { impressions: 5 }, metrics: { fetchedAt } }]);
    expect(await report(own)).toMatchObject({ totals: { impressions: 35 }, gather: { counted: 1 } });
    const later = await harness().later(6 * MINUTE_MS, () => report(own));
    expect(later).toMatchObject({ totals: { impressions: 0 }, gather: { counted: 0, published: 1 } });
    const short = { ...own.ctx, settings: { ...own.ctx.settings, analyticsCacheHours: 23 } };
    expect(await report({ ...own, ctx: short })).toMatchObject({ totals: { impressions: 0 } });
  });

  test("A-83 includes the state of the sync", async () => {
    const own = await publisher();
    const { ctx, accountId } = own;
    const stateAfter = async (row: Partial<typeof analyticsSyncs.$inferInsert>) => {
      const reset = { wakeAt: null, resumesAt: null, problemText: null, ...row };
      await ctx.db
        .insert(analyticsSyncs)
        .values({ accountId, requestedAt: ctx.now(), ...reset })
        .onConflictDoUpdate({ target: analyticsSyncs.accountId, set: reset });
      const { state, text, resumes_at } = (await report(own)).gather;
      return [state, text, resumes_at];
    };
    const [past, soon] = [addMs(ctx.now(), -MINUTE_MS), addMs(ctx.now(), MINUTE_MS)];
    expect(await stateAfter({ finishedAt: past })).toEqual(["idle", null, null]);
    expect(await stateAfter({ wakeAt: soon })).toEqual(["working", null, null]);
    expect(await stateAfter({ wakeAt: soon, resumesAt: past, problemText: "No answer." })).toEqual([
      ...["working", null, null],
    ]);
    expect(await stateAfter({ wakeAt: soon, resumesAt: soon })).toEqual(["waiting", null, soon.toISOString()]);
    expect(await stateAfter({ wakeAt: soon, resumesAt: soon, problemText: "Pinterest is busy." })).toEqual([
      ...["waiting", "Pinterest is busy.", soon.toISOString()],
    ]);
    expect(await stateAfter({ problemText: "Connect again." })).toEqual(["held", "Connect again.", null]);
    // The sync cannot continue before the account is reconnected.
    await ctx.db
      .update(pinterestAccounts)
      .set({ status: "reconnect_needed" })
      .where(eq(pinterestAccounts.id, accountId));
    expect(await stateAfter({ problemText: "Connect again." })).toEqual(["lost", null, null]);
    expect(await stateAfter({ wakeAt: soon, resumesAt: soon, problemText: "Busy." })).toEqual(["lost", null, null]);
    expect(await stateAfter({ finishedAt: past })).toEqual(["lost", null, null]);
    const off = { ...ctx, settings: { ...ctx.settings, analyticsCacheHours: 0 } };
    expect((await report({ accountId, ctx: off })).gather.state).toBe("off");
  });
});
