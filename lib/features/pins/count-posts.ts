import "server-only";
import { count, eq } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { isId } from "#lib/core/ids.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { ownPostsWhere } from "./queries.ts";
import type { PostCounts } from "./schema.ts";

/** How many pins of an account of the actor's hold all these words, in each state and in all. One query. */
export const countPosts = async (ctx: Ctx, accountId: string, words: readonly string[]): Promise<PostCounts> => {
  const counts: PostCounts = { all: 0, draft: 0, scheduled: 0, published: 0, failed: 0 };
  const userId = requireUserId(ctx);
  if (!isId("account", accountId)) return counts;
  const rows = await ctx.db
    .select({ status: pins.status, found: count() })
    .from(pins)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, pins.accountId))
    .where(ownPostsWhere({ userId, accountId }, "all", words))
    .groupBy(pins.status);
  for (const { status, found } of rows) {
    if (status === "deleted") continue;
    counts[status] = found;
    counts.all += found;
  }
  return counts;
};
