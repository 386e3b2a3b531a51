import "server-only";
import { and, desc, eq, isNotNull, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { REVIEW_MAX } from "./constants.ts";
import type { PostPage } from "./list-posts.ts";
import { findPostsById } from "./queries.ts";

/**
 * The drafts of one of the actor's accounts for a quick review, newest first: all of them, or where there are too many
 * those that have not been decided on (D9). The order is that of an index, whose state stands in the statement itself.
 * @throws AppError `not_found` for an account that is not the actor's.
 */
export const listDrafts = async (ctx: Ctx, { accountId }: { accountId: string }): Promise<PostPage> => {
  const account = await requireOwnedAccount(ctx, accountId);
  const shown = ctx.db
    .select({ id: pins.id, createdAt: pins.createdAt })
    .from(pins)
    .where(and(eq(pins.accountId, account.id), sql`${pins.status} = 'draft'`))
    .orderBy(isNotNull(pins.review), desc(pins.createdAt), desc(pins.id))
    .limit(REVIEW_MAX)
    .as("shown");
  const rows = await ctx.db.select({ id: shown.id }).from(shown).orderBy(desc(shown.createdAt), desc(shown.id));
  const ids = rows.map(({ id }) => id);
  return { account, pins: await findPostsById(ctx, ids), nextCursor: null };
};
