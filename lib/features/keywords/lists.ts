import "server-only";
import { and, asc, count, eq, getTableColumns, type SQL } from "drizzle-orm";
import { keywordLists, savedKeywords } from "#db/schema/keywords.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { dayOf, plainKeyword } from "#lib/features/analytics/policy.ts";
import { lockUser } from "#lib/features/identity/users.ts";
import { KEYWORDS_PER_LIST_MAX, LISTS_MAX, TEXTS } from "./constants.ts";
import type { KeywordListInput, ReadKeywordListInput, SavedKeywordInput, SaveKeywordsInput } from "./schema.ts";
import { findOwnPins, type OwnPins } from "./trends.ts";

export type KeywordList = Pick<typeof keywordLists.$inferSelect, "id" | "name" | "createdAt"> & { keywords: number };

type SavedKeyword = typeof savedKeywords.$inferSelect;

const isOwn = (ctx: Ctx): SQL => eq(keywordLists.userId, requireUserId(ctx));

const selectLists = (ctx: Ctx, condition: SQL | undefined): Promise<KeywordList[]> => {
  const { id, name, createdAt } = keywordLists;
  return ctx.db
    .select({ id, name, createdAt, keywords: count(savedKeywords.id) })
    .from(keywordLists)
    .leftJoin(savedKeywords, eq(savedKeywords.listId, keywordLists.id))
    .where(condition)
    .groupBy(keywordLists.id)
    .orderBy(asc(keywordLists.nameKey));
};

export const listKeywordLists = (ctx: Ctx): Promise<KeywordList[]> => selectLists(ctx, isOwn(ctx));

export interface KeywordListDetail {
  list: KeywordList;
  items: SavedKeyword[];
  /** Null unless an account was named. */
  own: OwnPins | null;
}

const findOwnPinsOf = async (ctx: Ctx, accountId: string): Promise<OwnPins> =>
  findOwnPins(ctx, (await requireOwnedAccount(ctx, accountId)).id);

/** @throws AppError `not_found` for an unknown list or account, or another user's */
export const readKeywordList = async (
  ctx: Ctx,
  { listId, account }: ReadKeywordListInput,
): Promise<KeywordListDetail> => {
  const [list] = await selectLists(ctx, and(eq(keywordLists.id, listId), isOwn(ctx)));
  if (!list) throw new AppError("not_found");
  const items = await ctx.db
    .select(getTableColumns(savedKeywords))
    .from(savedKeywords)
    .where(eq(savedKeywords.listId, list.id))
    .orderBy(asc(savedKeywords.keywordKey));
  return { list, items, own: account === undefined ? null : await findOwnPinsOf(ctx, account) };
};

const findOrCreateList = async (tx: Ctx, name: string): Promise<string> => {
  const userId = requireUserId(tx);
  const nameKey = plainKeyword(name);
  const [created] = await tx.db
    .insert(keywordLists)
    .values({ id: tx.newId("keywordList"), userId, name, nameKey, createdAt: tx.now() })
    .onConflictDoNothing({ target: [keywordLists.userId, keywordLists.nameKey] })
    .returning({ id: keywordLists.id });
  if (created) {
    if ((await tx.db.$count(keywordLists, isOwn(tx))) > LISTS_MAX) {
      throw new AppError("wrong_state", { text: TEXTS.tooManyLists });
    }
    return created.id;
  }
  const [known] = await tx.db
    .select({ id: keywordLists.id })
    .from(keywordLists)
    .where(and(isOwn(tx), eq(keywordLists.nameKey, nameKey)));
  if (!known) throw new AppError("wrong_state");
  return known.id;
};

/**
 * Adds keywords to the list of this name, which is created if needed. A keyword that the list has stays as it is, so
 * the call may be repeated. All or nothing.
 * @throws AppError `wrong_state` when there are too many lists, or the list would hold too many keywords
 */
export const saveKeywords = async (ctx: Ctx, { name, keywords }: SaveKeywordsInput): Promise<KeywordListDetail> => {
  const userId = requireUserId(ctx);
  const byKey = new Map(keywords.map((keyword) => [plainKeyword(keyword), keyword]));
  const listId = await inTransaction(ctx, async (tx) => {
    // One save per user at a time, because the bounds count rows of others.
    await lockUser(tx, userId);
    const id = await findOrCreateList(tx, name);
    const savedOn = dayOf(tx.now());
    const rows = [...byKey].map(([keywordKey, keyword]) => {
      return { id: tx.newId("savedKeyword"), listId: id, keyword, keywordKey, savedOn };
    });
    const target = [savedKeywords.listId, savedKeywords.keywordKey];
    await tx.db.insert(savedKeywords).values(rows).onConflictDoNothing({ target });
    if ((await tx.db.$count(savedKeywords, eq(savedKeywords.listId, id))) > KEYWORDS_PER_LIST_MAX) {
      throw new AppError("wrong_state", { text: TEXTS.listFull });
    }
    return id;
  });
  return readKeywordList(ctx, { listId });
};

/** With its keywords. @throws AppError `not_found` for an unknown list or another user's */
export const deleteKeywordList = async (ctx: Ctx, { listId }: KeywordListInput): Promise<void> => {
  const { count: deleted } = await ctx.db.delete(keywordLists).where(and(eq(keywordLists.id, listId), isOwn(ctx)));
  if (deleted === 0) throw new AppError("not_found");
};

/** @throws AppError `not_found` for an unknown keyword, or another user's list */
export const removeSavedKeyword = async (ctx: Ctx, { listId, keywordId }: SavedKeywordInput): Promise<void> => {
  const { list } = await readKeywordList(ctx, { listId });
  const isTarget = and(eq(savedKeywords.id, keywordId), eq(savedKeywords.listId, list.id));
  const { count: deleted } = await ctx.db.delete(savedKeywords).where(isTarget);
  if (deleted === 0) throw new AppError("not_found");
};
