import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import type { FullCtx } from "#lib/context.ts";
import { TEXTS, TOP_PINS } from "#lib/features/analytics/constants.ts";
import { readAccountAnalytics, readTopPins } from "#lib/features/analytics/pin-metrics.ts";
import { recentSpan, shiftDay } from "#lib/features/analytics/policy.ts";
import { accountAnalyticsInput, topPinsInput } from "#lib/features/analytics/schema.ts";
import { toAccountAnalyticsWire, toTopPinsWire } from "#lib/features/analytics/serializers.ts";
import { harnessesWithPinterest } from "#tests/support/accounts-harnesses.ts";
import { seedPins } from "#tests/support/analytics-seed.ts";
import { createUser } from "#tests/support/context.ts";
import { freezeTime } from "#tests/support/freeze-time.ts";

const ACCOUNT = "GET /v5/user_account/analytics";
const TOP = "GET /v5/user_account/analytics/top_pins";

const { pinterest, harness, moveClocks, connected } = harnessesWithPinterest();

const daysOf = (ctx: FullCtx, days: number) => {
  const { firstDay, lastDay } = recentSpan(ctx.now(), days);
  return { start_date: firstDay, end_date: lastDay };
};

const results = async (ctx: FullCtx, accountId: string, query: Record<string, string> = daysOf(ctx, 7)) =>
  toAccountAnalyticsWire(await readAccountAnalytics(ctx, accountAnalyticsInput.parse({ accountId, ...query })));

const topPins = async (ctx: FullCtx, accountId: string, query: Record<string, string> = {}) =>
  toTopPinsWire(await readTopPins(ctx, topPinsInput.parse({ accountId, ...daysOf(ctx, 30), ...query })), ctx);

describe("A-83 an account's metrics", () => {
  test("A-83 reads both periods in one call and sums final days only", async () => {
    const { ctx, account } = await connected();
    const { start_date, end_date } = daysOf(ctx, 7);
    const today = shiftDay(end_date, 2);
    const wire = await results(ctx, account.id, { start_date, end_date: today });
    expect(wire.days.map(({ date }) => date)).toEqual(Array.from({ length: 9 }, (_, n) => shiftDay(start_date, n)));
    expect(wire.days.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 7 }, () => "ready"),
      ...["processing", "processing"],
    ]);
    expect(wire.days.slice(7).map(({ figures }) => figures)).toEqual([null, null]);
    expect(wire).toMatchObject({ account_id: account.id, ready_through: end_date, end_date: today });
    for (const metric of ["impressions", "engagements", "pin_clicks", "outbound_clicks", "saves"] as const) {
      const days = wire.days.map(({ figures }) => figures?.[metric] ?? 0);
      expect([metric, wire.sums[metric]]).toEqual([metric, days.reduce((sum, one) => sum + one, 0)]);
    }
    expect(wire.sums.impressions).toBeGreaterThan(0);
    expect(await pinterest().calls(ACCOUNT)).toBe(1);
    // The matching days nine days earlier, without the last two of that period.
    const before = await results(ctx, account.id, {
      start_date: shiftDay(start_date, -9),
      end_date: shiftDay(end_date, -9),
    });
    expect(wire.before).toEqual({
      ...{ start_date: shiftDay(start_date, -9), end_date: shiftDay(today, -9) },
      sums: before.sums,
    });
  });

  test("A-83 has no earlier period beyond Pinterest's history, and no final day within the last two", async () => {
    const { ctx, account } = await connected();
    expect((await results(ctx, account.id, daysOf(ctx, 90))).before).toBeNull();
    const { end_date } = daysOf(ctx, 7);
    const wire = await results(ctx, account.id, { start_date: shiftDay(end_date, 1), end_date: shiftDay(end_date, 2) });
    expect(wire).toMatchObject({ ready_through: null, sums: { impressions: 0 }, before: { sums: { impressions: 0 } } });
  });

  test("A-83 caches an answer for a minute, per date range", async () => {
    freezeTime();
    const { ctx, account } = await connected();
    await Promise.all([results(ctx, account.id), results(ctx, account.id)]);
    await moveClocks(59_999);
    await results(ctx, account.id);
    expect(await pinterest().calls(ACCOUNT)).toBe(1);
    await results(ctx, account.id, daysOf(ctx, 30));
    expect(await pinterest().calls(ACCOUNT)).toBe(2);
    await moveClocks(1);
    await results(ctx, account.id);
    expect(await pinterest().calls(ACCOUNT)).toBe(3);
  });

  test.each([
    ["2026-11-20x", "2026-11-20"],
    ["2026-02-30", "2026-11-20"],
    ["", ""],
  ])("A-83 %j to %j is not a valid range", (start_date, end_date) => {
    const parsed = accountAnalyticsInput.safeParse({ accountId: "acc_1", start_date, end_date });
    expect(parsed.error?.issues[0]?.message).toBe(TEXTS.rangeInvalid);
  });

  test("A-83 rejects ranges outside Pinterest's history before calling Pinterest", async () => {
    const { ctx, account } = await connected();
    const { start_date, end_date } = daysOf(ctx, 90);
    const wrong = [
      { start_date: end_date, end_date: start_date },
      { start_date: shiftDay(start_date, -1), end_date },
      { start_date, end_date: shiftDay(end_date, 3) },
    ];
    for (const query of wrong) {
      await expect(results(ctx, account.id, query)).rejects.toMatchObject({ code: "invalid" });
      await expect(topPins(ctx, account.id, query)).rejects.toMatchObject({ code: "invalid" });
    }
    expect(await pinterest().calls(ACCOUNT)).toBe(0);
  });

  test.each([
    ["server-error", "provider_unavailable"],
    ["malformed", "provider_unavailable"],
    ["rate-limited", "provider_unavailable"],
    ["not-permitted", "refused"],
    ["missing-scope", "reconnect_needed"],
  ])("A-83 reports Pinterest's %s as %s and does not cache it", async (scenario, code) => {
    const { ctx, account } = await connected();
    await pinterest().addFault({ match: ACCOUNT, scenario });
    await expect(results(ctx, account.id)).rejects.toMatchObject({ code });
    await ctx.db.update(pinterestAccounts).set({ status: "connected" }).where(eq(pinterestAccounts.id, account.id));
    await moveClocks(120_000);
    await pinterest().clearFaults();
    expect((await results(ctx, account.id)).sums.impressions).toBeGreaterThan(0);
  });

  test("A-83 says when the rate limit is used up and when to retry", async () => {
    const { ctx, account } = await connected();
    const { start_date, end_date } = daysOf(ctx, 7);
    let refused: unknown;
    for (let n = 0; n < 61 && !refused; n += 1) {
      const query = { start_date: shiftDay(start_date, -n), end_date };
      refused = await results(ctx, account.id, query).then(
        () => undefined,
        (error: unknown) => error,
      );
    }
    expect(refused).toMatchObject({ code: "provider_unavailable", message: TEXTS.callsUsedUp });
    expect(Object(refused).retryAfterSeconds).toBeGreaterThan(0);
    expect(await pinterest().calls(ACCOUNT)).toBeLessThanOrEqual(60);
  });

  test("R-API-31 foreign and unknown accounts are not found, and a disconnected one says so", async () => {
    const { ctx, account } = await connected();
    const stranger = await createUser(harness());
    for (const accountId of [account.id, `acc_${"z".repeat(26)}`, "1"]) {
      await expect(results(stranger.ctx, accountId)).rejects.toMatchObject({ code: "not_found" });
      await expect(topPins(stranger.ctx, accountId)).rejects.toMatchObject({ code: "not_found" });
    }
    await ctx.db
      .update(pinterestAccounts)
      .set({ status: "reconnect_needed" })
      .where(eq(pinterestAccounts.id, account.id));
    await expect(results(ctx, account.id)).rejects.toMatchObject({ code: "reconnect_needed" });
    await expect(topPins(ctx, account.id)).rejects.toMatchObject({ code: "reconnect_needed" });
    expect((await pinterest().calls(ACCOUNT)) + (await pinterest().calls(TOP))).toBe(0);
  });
});

describe("A-83 an account's top pins", () => {
  test("A-83 the best come first, with images for pins published here", async () => {
    const { ctx, account } = await connected();
    const [board] = await pinterest().boardsOf(account.username);
    const created_at = shiftDay(daysOf(ctx, 30).start_date, -30);
    const made = Array.from({ length: TOP_PINS + 3 }, (_, n) => ({
      ...{ board_id: board?.id ?? "", title: `Pin ${n}`, created_at: `${created_at}T08:00:00.000Z` },
    }));
    await pinterest().seedPins(account.username, made);
    const byDefault = await topPins(ctx, account.id);
    expect(byDefault.sort_by).toBe("impressions");
    expect(byDefault.pins).toHaveLength(TOP_PINS);
    const [best] = byDefault.pins;
    expect(best?.pinterest_url).toBe(`${pinterest().url}/pin/${best?.pinterest_pin_id}/`);
    expect(byDefault.pins.every(({ post }) => post === null)).toBe(true);
    const [id = ""] = await seedPins(ctx, account.id, [
      { row: { pinterestPinId: best?.pinterest_pin_id ?? "", title: "Ours", keyword: "moss" } },
    ]);
    expect(await pinterest().calls(TOP)).toBe(1);
    const again = await topPins(ctx, account.id);
    expect(again.pins[0]).toEqual({
      ...best,
      post: { id, title: "Ours", keyword: "moss", image_url: `/api/images/${id}.jpg` },
    });
    await ctx.db.update(pins).set({ status: "deleted" }).where(eq(pins.id, id));
    expect((await topPins(ctx, account.id)).pins[0]?.post).toBeNull();
    expect(await pinterest().calls(TOP)).toBe(1);
    for (const sort_by of ["saves", "outbound_clicks", "engagements", "pin_clicks", "impressions"] as const) {
      const figures = (await topPins(ctx, account.id, { sort_by })).pins.map((pin) => pin.figures[sort_by]);
      expect([sort_by, figures]).toEqual([sort_by, figures.toSorted((a, b) => b - a)]);
    }
  });
});
