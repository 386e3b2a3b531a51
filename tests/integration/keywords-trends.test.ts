import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import type { PoolClient } from "#db/pool-client.ts";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import type { FullCtx } from "#lib/context.ts";
import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";
import { RELATED_TERMS_SCOPE, REQUIRED_SCOPES } from "#lib/features/accounts/constants.ts";
import { DEFAULT_VOICE, saveVoice } from "#lib/features/branding/voice.ts";
import { TEXTS, WINDOW_CALLS } from "#lib/features/keywords/constants.ts";
import { relatedInput, suggestionsInput, trendsInput } from "#lib/features/keywords/schema.ts";
import { toRelatedWire, toTrendsWire } from "#lib/features/keywords/serializers.ts";
import { suggestKeywords } from "#lib/features/keywords/suggestions.ts";
import { readRelated, readTrends } from "#lib/features/keywords/trends.ts";
import { harnessesWithPinterest } from "#tests/support/accounts-harnesses.ts";
import { seedPins } from "#tests/support/analytics-seed.ts";
import { connectAccount, tryToConnect } from "#tests/support/connect-account.ts";
import { createUser } from "#tests/support/context.ts";
import { freezeTime } from "#tests/support/freeze-time.ts";

const RELATED = "GET /v5/terms/related";
const ANY = /^GET \/v5\/(trends|terms)\//;

const { pinterest, harness, moveClocks, connected, rowOf } = harnessesWithPinterest();

const trends = async (ctx: FullCtx, accountId: string, query: Record<string, string> = {}) =>
  toTrendsWire(await readTrends(ctx, trendsInput.parse({ accountId, ...query })), ctx);
const keywords = ({ trends: list }: { trends: { keyword: string }[] }) => list.map(({ keyword }) => keyword);
const calls = async () => (await pinterest().requests(ANY)).length;

test("suggestions come from the region of the account's language", async () => {
  const { ctx, account } = await connected();
  const regions = async () => {
    const logged = await pinterest().requests(/^GET \/v5\/trends\//);
    return logged.map(({ path }) => /keywords\/([^/]+)\//.exec(path)?.[1]);
  };
  const before = (await regions()).length;
  const suggest = (text: string) => suggestKeywords(ctx, suggestionsInput.parse({ accountId: account.id, text }));
  await suggest("pumpkin");
  await saveVoice(ctx, { ...DEFAULT_VOICE, accountId: account.id, language: "de" });
  await suggest("pumpkin");
  expect((await regions()).slice(before)).toEqual(["US", "DE"]);
});

/** The statements that work sends outside transactions. */
const statementsOf = async (ctx: FullCtx, work: () => Promise<unknown>): Promise<string[]> => {
  const { client } = ctx.db._.session as unknown as { client: PoolClient };
  const { unsafe } = client;
  const sent: string[] = [];
  client.unsafe = (query, ...values) => {
    sent.push(query);
    return unsafe(query, ...values);
  };
  try {
    await work();
  } finally {
    client.unsafe = unsafe;
  }
  return sent;
};

test("suggestions don't run the report on the account's own pins, whoever asks Pinterest first", async () => {
  const { ctx, account } = await connected();
  const readsReport = (statements: readonly string[]) => statements.some((query) => query.includes("pin_metrics"));
  const suggest = async () => {
    const found = await suggestKeywords(ctx, suggestionsInput.parse({ accountId: account.id, text: "pumpkin" }));
    expect(found.keywords).toContain("pumpkin soup recipe");
  };
  for (const _ of ["asks Pinterest", "is kept"]) expect(readsReport(await statementsOf(ctx, suggest))).toBe(false);
  expect(readsReport(await statementsOf(ctx, () => trends(ctx, account.id)))).toBe(true);
});

describe("search trends", () => {
  test("are read with a forecast, filtered by Pinterest, with the season of each", async () => {
    const { ctx, account } = await connected();
    const wire = await trends(ctx, account.id);
    expect(wire).toMatchObject({ region: "US", trend_type: "growing" });
    const pumpkin = wire.trends.find(({ keyword }) => keyword === "pumpkin soup recipe");
    expect(pumpkin?.weeks).toHaveLength(52);
    expect(pumpkin?.forecast).toHaveLength(13);
    expect(pumpkin?.season?.peak_day.slice(5, 7)).toBe("10");
    expect(wire.trends.find(({ keyword }) => keyword === "sourdough bread")?.season).toBeNull();
    const filtered = await trends(ctx, account.id, {
      ...{ region: "AU+NZ", trend_type: "seasonal", interests: "food_and_drinks,beauty" },
      ...{ ages: "65+", genders: "female", include_keywords: "pumpkin, nails" },
    });
    expect(keywords(filtered).toSorted()).toEqual(["pumpkin soup recipe", "winter nails"]);
    // In the south the season is half a year apart.
    expect(filtered.trends.find(({ keyword }) => keyword === "winter nails")?.season?.peak_day.slice(5, 7)).toBe("06");
  });

  test("each keyword comes with the account's own pins and what they did", async () => {
    const { ctx, account } = await connected();
    const daily = { impressions: 10, outboundClicks: 1 };
    await seedPins(ctx, account.id, [
      { row: { keyword: "Sourdough  Bread" }, daily },
      { row: { keyword: "sourdough bread" }, daily: null },
    ]);
    const wire = await trends(ctx, account.id);
    const own = wire.trends.find(({ keyword }) => keyword === "sourdough bread")?.own_pins;
    expect(own).toMatchObject({ pins: 2, counted_pins: 1 });
    expect(own?.impressions).toBe(10 * (own?.outbound_clicks ?? 0));
    expect(own?.outbound_clicks).toBeGreaterThan(80);
    expect(wire.trends.filter(({ own_pins }) => own_pins !== null)).toHaveLength(1);
    // Own pins are read from our database each time, trends are not.
    await seedPins(ctx, account.id, [{ row: { keyword: "reading nook" }, daily }]);
    const again = await trends(ctx, account.id);
    expect(again.trends.find(({ keyword }) => keyword === "reading nook")?.own_pins).toMatchObject({ pins: 1 });
    expect(await calls()).toBe(1);
  });

  test("an answer is kept for a day in memory, per account and filters, and concurrent readers share a call", async () => {
    freezeTime();
    const { ctx, account } = await connected();
    await Promise.all([trends(ctx, account.id), trends(ctx, account.id)]);
    await trends(ctx, account.id, { interests: "" });
    expect(await calls()).toBe(1);
    await trends(ctx, account.id, { interests: "beauty" });
    expect(await calls()).toBe(2);
    await moveClocks(DAY_MS - 1);
    await trends(ctx, account.id);
    expect(await calls()).toBe(2);
    await moveClocks(1);
    await trends(ctx, account.id);
    expect(await calls()).toBe(3);
  });

  test("without access to the forecasts' beta, trends come without them", async () => {
    const { ctx, account } = await connected();
    await pinterest().set({ trendForecasts: false });
    const wire = await trends(ctx, account.id);
    await pinterest().set({ trendForecasts: true });
    expect(wire.trends.length).toBeGreaterThan(0);
    expect(wire.trends.every(({ forecast }) => forecast.length === 0)).toBe(true);
    expect(await calls()).toBe(2);
    await trends(ctx, account.id, { region: "DE" });
    expect(await calls()).toBe(3);
  });

  test("an account without access says so in one sentence, and stays connected", async () => {
    const { ctx } = await createUser(harness());
    const account = await connectAccount(ctx, pinterest(), "quiet.bicycle");
    await expect(trends(ctx, account.id)).rejects.toMatchObject({
      code: "refused",
      message: "Pinterest doesn't give our app access to search data for this account.",
    });
    expect((await rowOf(account.id)).status).toBe("connected");
  });

  test.each([
    ["server-error", "provider_unavailable"],
    ["malformed", "provider_unavailable"],
    ["cut", "provider_unavailable"],
    ["not-permitted", "refused"],
    ["missing-scope", "reconnect_needed"],
  ])("Pinterest's %s is reported as %s, and not kept", async (scenario, code) => {
    const { ctx, account } = await connected();
    // A refusal is repeated without the forecast.
    await pinterest().addFault({ match: "GET /v5/trends/*", scenario, times: 2 });
    await expect(trends(ctx, account.id)).rejects.toMatchObject({ code });
    await ctx.db.update(pinterestAccounts).set({ status: "connected" }).where(eq(pinterestAccounts.id, account.id));
    await pinterest().clearFaults();
    expect((await trends(ctx, account.id)).trends.length).toBeGreaterThan(0);
  });

  test("after Pinterest's rate limit nothing is sent until it accepts calls again", async () => {
    const { ctx, account } = await connected();
    await pinterest().addFault({ match: "GET /v5/trends/*", scenario: "trends-limited", times: 1 });
    const limited = { code: "too_many", retryAfterSeconds: 40 };
    await expect(trends(ctx, account.id)).rejects.toMatchObject({
      ...limited,
      message: "Pinterest allows 60 requests per minute. Try again in 40 seconds.",
    });
    await expect(trends(ctx, account.id, { region: "DE" })).rejects.toMatchObject({ code: "too_many" });
    expect(await calls()).toBe(1);
    await moveClocks(40_000);
    expect((await trends(ctx, account.id)).trends.length).toBeGreaterThan(0);
  });

  test("calls of all users of a Pinterest account stay within its limit", async () => {
    const [first, second] = [await connected(), await createUser(harness())];
    const same = await connectAccount(second.ctx, pinterest(), first.account.username);
    await pinterest().resetCalls();
    const read = async (n: number) => {
      const query = { include_keywords: `word ${n}` };
      return n % 2 === 0 ? trends(first.ctx, first.account.id, query) : trends(second.ctx, same.id, query);
    };
    for (let n = 0; n < WINDOW_CALLS; n += 1) await read(n);
    await expect(read(WINDOW_CALLS)).rejects.toMatchObject({
      code: "too_many",
      message: expect.stringMatching(
        /^To stay within Pinterest's limit, we send up to 30 of these requests per minute for an account\. Try again in \d+ seconds?\.$/,
      ),
    });
    await expect(read(WINDOW_CALLS + 1)).rejects.toMatchObject({ code: "too_many" });
    expect(await calls()).toBe(WINDOW_CALLS);
    await moveClocks(MINUTE_MS);
    await read(WINDOW_CALLS);
  });

  test("R-API-31 foreign and unknown accounts are not found, and a disconnected one says so", async () => {
    const { ctx, account } = await connected();
    const stranger = await createUser(harness());
    for (const accountId of [account.id, `acc_${"z".repeat(26)}`, "1"]) {
      await expect(trends(stranger.ctx, accountId)).rejects.toMatchObject({ code: "not_found" });
      await expect(readRelated(stranger.ctx, { accountId, term: "rye" })).rejects.toMatchObject({ code: "not_found" });
    }
    await ctx.db
      .update(pinterestAccounts)
      .set({ status: "reconnect_needed" })
      .where(eq(pinterestAccounts.id, account.id));
    await expect(trends(ctx, account.id)).rejects.toMatchObject({ code: "reconnect_needed" });
    expect(await calls()).toBe(0);
  });

  test.each<[Record<string, string>, string]>([
    [{ region: "XX" }, "region"],
    [{ trend_type: "weekly" }, "trend_type"],
    [{ interests: "beauty,moss" }, "interests"],
    [{ ages: "12-17" }, "ages"],
    [{ genders: "all" }, "genders"],
    [{ include_keywords: "a,b,c,d,e,f" }, "include_keywords"],
    [{ include_keywords: "x".repeat(101) }, "include_keywords"],
  ])("%j is not a filter of Pinterest's", (query, field) => {
    const { error } = trendsInput.safeParse({ accountId: "acc_1", ...query });
    expect(error?.issues[0]?.path[0]).toBe(field);
  });
});

describe("related keywords", () => {
  /** As on an instance whose app may read them. */
  const allowed = (ctx: FullCtx): FullCtx => ({ ...ctx, settings: { ...ctx.settings, hasRelatedTerms: true } });
  const related = (ctx: FullCtx, accountId: string, term: string) =>
    readRelated(ctx, relatedInput.parse({ accountId, term })).then(toRelatedWire);

  test("are read once a day for an account that granted access to ads", async () => {
    const { ctx: plain } = await createUser(harness());
    const ctx = allowed(plain);
    const account = await connectAccount(ctx, pinterest());
    await pinterest().resetCalls();
    const { term, keywords: found } = await related(ctx, account.id, " Slow  Bread ");
    expect(term).toBe("Slow Bread");
    expect(found).toContain("slow bread for beginners");
    await related(ctx, account.id, "slow bread");
    expect(await pinterest().calls(RELATED)).toBe(1);
  });

  test("each comes with the account's own pins and what they did, read from our database each time", async () => {
    const { ctx: plain } = await createUser(harness());
    const ctx = allowed(plain);
    const account = await connectAccount(ctx, pinterest());
    await pinterest().resetCalls();
    const before = await related(ctx, account.id, "slow bread");
    expect(before.items).toEqual(before.keywords.map((keyword) => ({ keyword, own_pins: null })));
    const daily = { impressions: 10, outboundClicks: 1 };
    await seedPins(ctx, account.id, [
      { row: { keyword: "Slow bread  for beginners" }, daily },
      { row: { keyword: "slow bread for beginners" }, daily: null },
    ]);
    const { items } = await related(ctx, account.id, "slow bread");
    const [own, ...others] = items.flatMap(({ keyword, own_pins }) => (own_pins ? [{ keyword, ...own_pins }] : []));
    expect(own).toMatchObject({ keyword: "slow bread for beginners", pins: 2, counted_pins: 1 });
    expect(own?.outbound_clicks).toBeGreaterThan(80);
    expect(others).toEqual([]);
    expect(await pinterest().calls(RELATED)).toBe(1);
  });

  test("are what is suggested while typing, and are kept for the day", async () => {
    const { ctx: plain } = await createUser(harness());
    const ctx = allowed(plain);
    const account = await connectAccount(ctx, pinterest());
    await pinterest().resetCalls();
    const suggest = (text: string) => suggestKeywords(ctx, suggestionsInput.parse({ accountId: account.id, text }));
    const { keywords: found, problem } = await suggest("Slow bread");
    expect(found).toContain("slow bread for beginners");
    expect(problem).toBeNull();
    expect(await suggest("slow bread")).toEqual({ keywords: found, problem: null });
    // No trends in addition.
    expect([await pinterest().calls(RELATED), await calls()]).toEqual([1, 1]);
  });

  test("an account without that scope asks to reconnect, and nothing is sent", async () => {
    const { ctx, account } = await connected();
    await expect(related(ctx, account.id, "rye")).rejects.toMatchObject({ code: "refused", message: TEXTS.relatedOff });
    await expect(related(allowed(ctx), account.id, "rye")).rejects.toMatchObject({
      ...{ code: "reconnect_needed", message: TEXTS.relatedNotGranted },
    });
    expect(await calls()).toBe(0);
    expect((await rowOf(account.id)).status).toBe("connected");
  });

  test("the scope may be declined, and Pinterest's refusal does not end the connection", async () => {
    const { ctx: plain } = await createUser(harness());
    const ctx = allowed(plain);
    const username = await pinterest().createAccount();
    expect(await tryToConnect(ctx, pinterest(), username, { scopes: REQUIRED_SCOPES })).toEqual({ kind: "connected" });
    const { ctx: other } = await createUser(harness());
    const account = await connectAccount(allowed(other), pinterest(), username);
    expect((await rowOf(account.id)).scopes.split(" ")).toContain(RELATED_TERMS_SCOPE);
    await pinterest().addFault({ match: RELATED, scenario: "missing-scope" });
    await expect(related(allowed(other), account.id, "rye")).rejects.toMatchObject({ code: "refused" });
    expect((await rowOf(account.id)).status).toBe("connected");
  });
});
