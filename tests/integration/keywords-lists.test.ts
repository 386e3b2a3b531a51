import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { keywordLists, savedKeywords } from "#db/schema/keywords.ts";
import type { FullCtx } from "#lib/context.ts";
import { DAY_MS } from "#lib/core/time.ts";
import { dayOf } from "#lib/features/analytics/policy.ts";
import { KEYWORDS_PER_LIST_MAX, LISTS_MAX, TEXTS } from "#lib/features/keywords/constants.ts";
import {
  deleteKeywordList,
  listKeywordLists,
  readKeywordList,
  removeSavedKeyword,
  saveKeywords,
} from "#lib/features/keywords/lists.ts";
import { readKeywordListInput, saveKeywordsInput } from "#lib/features/keywords/schema.ts";
import { toListDetailWire } from "#lib/features/keywords/serializers.ts";
import { seedAccount, seedPins } from "#tests/support/analytics-seed.ts";
import { createTestHarness, createUser, type TestHarness } from "#tests/support/context.ts";
import { databaseForFile } from "#tests/support/database.ts";

const database = databaseForFile();
let harness: TestHarness;

beforeAll(() => {
  harness = createTestHarness({ databaseUrl: database().url, storageDir: "/nonexistent" });
});
afterAll(() => harness.close());

const save = (ctx: FullCtx, name: string, keywords: string[]) =>
  saveKeywords(ctx, saveKeywordsInput.parse({ name, keywords }));
const keywordsOf = ({ items }: { items: { keyword: string }[] }) => items.map(({ keyword }) => keyword);
const many = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `keyword ${from + n}`);

describe("saving keywords", () => {
  test("a name creates a list once, and later saves add to it, whatever their case and spaces", async () => {
    const { ctx } = await createUser(harness);
    const first = await save(ctx, " Winter  Baking ", ["Slow bread", "rye"]);
    const second = await save(ctx, "winter baking", ["RYE", "stollen", " stollen "]);
    expect(second.list).toMatchObject({ id: first.list.id, name: "Winter Baking", keywords: 3 });
    expect(keywordsOf(second)).toEqual(["rye", "Slow bread", "stollen"]);
    expect(await listKeywordLists(ctx)).toEqual([second.list]);
  });

  test("the same save again changes nothing, and keeps the day of the first one", async () => {
    const { ctx } = await createUser(harness);
    const first = await save(ctx, "Baking", ["rye"]);
    const later = { ...ctx, now: () => new Date(ctx.now().getTime() + 3 * DAY_MS) };
    expect(await save(later, "Baking", ["rye"])).toEqual(first);
    expect(first.items).toMatchObject([{ savedOn: dayOf(ctx.now()) }]);
  });

  test("concurrent saves make one list with each keyword once", async () => {
    const { ctx } = await createUser(harness);
    await Promise.all(Array.from({ length: 8 }, (_, n) => save(ctx, "Baking", ["rye", `bread ${n % 2}`])));
    const [list, ...others] = await listKeywordLists(ctx);
    expect(others).toEqual([]);
    expect(keywordsOf(await readKeywordList(ctx, { listId: list?.id ?? "" }))).toEqual(["bread 0", "bread 1", "rye"]);
  });

  test("the database itself refuses a second list of a name, and a keyword twice in a list", async () => {
    const { ctx } = await createUser(harness);
    const { list } = await save(ctx, "Baking", ["rye"]);
    const copyList = sql`insert into ${keywordLists} select 'again', user_id, name, name_key, created_at
      from ${keywordLists} where id = ${list.id}`;
    await expect(ctx.db.execute(copyList)).rejects.toMatchObject({ cause: { code: "23505" } });
    const copyKeyword = sql`insert into ${savedKeywords} select 'again', list_id, keyword, keyword_key, saved_on
      from ${savedKeywords} where list_id = ${list.id}`;
    await expect(ctx.db.execute(copyKeyword)).rejects.toMatchObject({ cause: { code: "23505" } });
  });

  test("a full list refuses more, and keeps nothing of the refused save", async () => {
    const { ctx } = await createUser(harness);
    for (let from = 0; from < KEYWORDS_PER_LIST_MAX; from += 100) await save(ctx, "Baking", many(100, from));
    await expect(save(ctx, "Baking", ["one more", "keyword 1"])).rejects.toMatchObject({
      ...{ code: "wrong_state", message: TEXTS.listFull },
    });
    const { list } = await save(ctx, "Baking", many(3));
    expect(list.keywords).toBe(KEYWORDS_PER_LIST_MAX);
  });

  test("a user has a bounded number of lists, also when saving at the same time", async () => {
    const { ctx, userId } = await createUser(harness);
    const answers = await Promise.allSettled(
      Array.from({ length: LISTS_MAX + 3 }, (_, n) => save(ctx, `List ${n}`, ["rye"])),
    );
    const refused = answers.filter((answer) => answer.status === "rejected");
    expect(refused.map(({ reason }) => reason.message)).toEqual([1, 2, 3].map(() => TEXTS.tooManyLists));
    expect(await ctx.db.$count(keywordLists, eq(keywordLists.userId, userId))).toBe(LISTS_MAX);
    await save(ctx, (await listKeywordLists(ctx))[0]?.name ?? "", ["stollen"]);
  });

  test.each([
    [{ name: " ", keywords: ["rye"] }, TEXTS.nameMissing],
    [{ name: "x".repeat(61), keywords: ["rye"] }, TEXTS.nameTooLong],
    [{ name: "Baking", keywords: [] }, TEXTS.noKeywords],
    [{ name: "Baking", keywords: [" "] }, TEXTS.noKeywords],
    [{ name: "Baking", keywords: "rye" }, TEXTS.noKeywords],
    [{ name: "Baking", keywords: many(101) }, TEXTS.tooManyKeywords],
    [{ name: "Baking", keywords: ["x".repeat(201)] }, TEXTS.keywordTooLong],
  ])("input %# is refused with a reason", (input, text) => {
    expect(saveKeywordsInput.safeParse(input).error?.issues[0]?.message).toBe(text);
  });
});

describe("own pins beside saved keywords", () => {
  const itemsWith = async (ctx: FullCtx, listId: string, account?: string) =>
    toListDetailWire(await readKeywordList(ctx, readKeywordListInput.parse({ listId, account }))).items;

  test("each keyword comes with the pins of the named account, and without one as before", async () => {
    const { ctx } = await createUser(harness);
    const [account, other] = [await seedAccount(ctx), await seedAccount(ctx)];
    const daily = { impressions: 10, outboundClicks: 1 };
    await seedPins(ctx, account, [
      { row: { keyword: "Slow  bread" }, daily },
      { row: { keyword: "slow bread" }, daily: null },
      { row: { keyword: "stollen", status: "draft", publishedAt: null }, daily: null },
    ]);
    const { list } = await save(ctx, "Baking", ["Slow Bread", "stollen"]);
    const [bread, stollen] = await itemsWith(ctx, list.id, account);
    expect(bread?.own_pins).toMatchObject({ pins: 2, counted_pins: 1 });
    expect(bread?.own_pins?.outbound_clicks).toBeGreaterThan(80);
    expect(bread?.own_pins?.impressions).toBe(10 * (bread?.own_pins?.outbound_clicks ?? 0));
    expect(stollen).toEqual({ ...stollen, keyword: "stollen", own_pins: null });
    expect((await itemsWith(ctx, list.id, other)).map(({ own_pins }) => own_pins)).toEqual([null, null]);
    const savedOn = { id: expect.any(String), saved_on: dayOf(ctx.now()) };
    expect(await itemsWith(ctx, list.id)).toStrictEqual([
      { keyword: "Slow Bread", ...savedOn },
      { keyword: "stollen", ...savedOn },
    ]);
  });

  test("a disconnected account's pins are shown, and another user's account is not found", async () => {
    const [owner, stranger] = [await createUser(harness), await createUser(harness)];
    const [own, foreign] = [await seedAccount(owner.ctx), await seedAccount(stranger.ctx)];
    await seedPins(owner.ctx, own, [{ row: { keyword: "rye" }, daily: null }]);
    await seedPins(stranger.ctx, foreign, [{ row: { keyword: "rye" }, daily: null }]);
    const { list } = await save(owner.ctx, "Baking", ["rye"]);
    for (const account of [foreign, `acc_${"z".repeat(26)}`, "1"]) {
      await expect(itemsWith(owner.ctx, list.id, account)).rejects.toMatchObject({ code: "not_found" });
    }
    await owner.ctx.db
      .update(pinterestAccounts)
      .set({ status: "reconnect_needed" })
      .where(eq(pinterestAccounts.id, own));
    expect(await itemsWith(owner.ctx, list.id, own)).toMatchObject([{ own_pins: { pins: 1, counted_pins: 0 } }]);
  });
});

describe("lists of others", () => {
  test("they are not found, to read, to change, and to delete", async () => {
    const [owner, stranger] = [await createUser(harness), await createUser(harness)];
    const { list, items } = await save(owner.ctx, "Baking", ["rye"]);
    const [own] = (await save(stranger.ctx, "Baking", ["moss"])).items;
    const [listId, keywordId] = [list.id, items[0]?.id ?? ""];
    const notFound = { code: "not_found" };
    await expect(readKeywordList(stranger.ctx, { listId })).rejects.toMatchObject(notFound);
    await expect(deleteKeywordList(stranger.ctx, { listId })).rejects.toMatchObject(notFound);
    await expect(removeSavedKeyword(stranger.ctx, { listId, keywordId })).rejects.toMatchObject(notFound);
    await expect(removeSavedKeyword(owner.ctx, { listId, keywordId: own?.id ?? "" })).rejects.toMatchObject(notFound);
    expect(keywordsOf(await readKeywordList(owner.ctx, { listId }))).toEqual(["rye"]);
    expect((await listKeywordLists(stranger.ctx)).map(({ keywords }) => keywords)).toEqual([1]);
  });

  test("an owner removes a keyword, and deletes a list with its keywords", async () => {
    const { ctx } = await createUser(harness);
    const { list, items } = await save(ctx, "Baking", ["rye", "stollen"]);
    const target = { listId: list.id, keywordId: items[0]?.id ?? "" };
    await removeSavedKeyword(ctx, target);
    await expect(removeSavedKeyword(ctx, target)).rejects.toMatchObject({ code: "not_found" });
    expect(keywordsOf(await readKeywordList(ctx, target))).toEqual(["stollen"]);
    await deleteKeywordList(ctx, target);
    await expect(deleteKeywordList(ctx, target)).rejects.toMatchObject({ code: "not_found" });
    expect(await ctx.db.$count(savedKeywords, eq(savedKeywords.listId, list.id))).toBe(0);
  });
});
