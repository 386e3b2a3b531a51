import "server-only";
import { and, asc, eq, sql } from "drizzle-orm";
import { keywordLists, savedKeywords } from "#db/schema/keywords.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import { type OwnedAccountId, requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { plainKeyword } from "#lib/features/analytics/policy.ts";
import { findTimeZone } from "#lib/features/analytics/queries.ts";
import { findVoice } from "#lib/features/branding/voice.ts";
import { SUGGESTIONS_MAX } from "./constants.ts";
import { regionOf } from "./policy.ts";
import { type SuggestionsInput, trendsInput } from "./schema.ts";
import { readRelatedKeywords, readTrendKeywords } from "./trends.ts";

export interface Suggestions {
  keywords: string[];
  problem: string | null;
}

/** Those that contain the text, in any case. */
const findSaved = async (ctx: Ctx, plain: string): Promise<string[]> => {
  const rows = await ctx.db
    .selectDistinct({ keyword: savedKeywords.keyword })
    .from(savedKeywords)
    .innerJoin(keywordLists, eq(keywordLists.id, savedKeywords.listId))
    .where(and(eq(keywordLists.userId, requireUserId(ctx)), sql`position(${plain} in ${savedKeywords.keywordKey}) > 0`))
    .orderBy(asc(savedKeywords.keyword))
    .limit(SUGGESTIONS_MAX);
  return rows.map(({ keyword }) => keyword);
};

/** Both are kept for a day, so typing the same again costs no call. */
const readFromPinterest = async (ctx: Ctx<"pinterest">, accountId: OwnedAccountId, text: string): Promise<string[]> => {
  if (ctx.settings.hasRelatedTerms) return readRelatedKeywords(ctx, { accountId, term: text });
  const region = regionOf({ language: (await findVoice(ctx, accountId)).language, timeZone: await findTimeZone(ctx) });
  const terms = { include_keywords: text.replaceAll(",", " ") };
  const trends = trendsInput.parse({ accountId, region, trend_type: "monthly", ...terms });
  return readTrendKeywords(ctx, trends);
};

/** @throws AppError `not_found` for another user's account */
export const suggestKeywords = async (ctx: Ctx<"pinterest">, input: SuggestionsInput): Promise<Suggestions> => {
  const { id } = await requireOwnedAccount(ctx, input.accountId);
  const plain = plainKeyword(input.text);
  const saved = await findSaved(ctx, plain);
  let found: string[] = [];
  let problem: string | null = null;
  try {
    found = await readFromPinterest(ctx, id, input.text);
  } catch (error) {
    // The user's own keywords are still of use, and the text says why there are no others.
    if (!(error instanceof AppError)) throw error;
    problem = error.message;
  }
  const byKey = new Map([...saved, ...found].map((keyword) => [plainKeyword(keyword), keyword]));
  byKey.delete(plain);
  return { keywords: [...byKey.values()].slice(0, SUGGESTIONS_MAX), problem };
};
