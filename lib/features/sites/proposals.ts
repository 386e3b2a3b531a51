import "server-only";
import { and, count, eq, gte, type SQL, sql } from "drizzle-orm";
import { pageDismissals, pageProposals } from "#db/schema/sites.ts";
import { isAnyOf } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { pageOf, spellingsOf } from "#lib/features/links/queries.ts";
import { pinnedBy } from "./queries.ts";

export type Proposal = typeof pageProposals.$inferSelect;

/**
 * Proposals that no pin links to yet, in a query on `page_proposals`; the first of each page, since older rows of several
 * watches may have the same. Only pins with campaign tags are read, once; others are found by the index on links.
 */
export const isOpen = (userId: UserId): SQL | undefined => {
  const page = pageOf(pageProposals.url);
  return and(
    eq(pageProposals.userId, userId),
    sql`${pageProposals.id} in (select distinct on (${page}) id from ${pageProposals}
      where ${eq(pageProposals.userId, userId)} order by ${page}, found_at, id)`,
    sql`not exists (select 1 from unnest(${spellingsOf(pageProposals.url)}) as spelling
      join pins on md5(pins.link) = md5(spelling) and pins.link = spelling
      where pins.user_id = ${userId} and pins.status <> 'deleted')`,
    sql`${page} not in (
      select ${pageOf(sql`pins.link`)} from ${pinnedBy(userId)} and pins.link ilike '%utm\_%')`,
  );
};

/** New pages that the user hasn't used or dismissed. `since`: only those that were found from then on. */
export const countProposals = async (
  ctx: Ctx,
  { userId, since }: { userId: UserId; since?: Date },
): Promise<number> => {
  const isRecentlyFound = since && gte(pageProposals.foundAt, since);
  const [row] = await ctx.db
    .select({ pages: count() })
    .from(pageProposals)
    .where(and(isOpen(userId), isRecentlyFound));
  return row?.pages ?? 0;
};

export const countOwnProposals = (ctx: Ctx): Promise<number> => countProposals(ctx, { userId: requireUserId(ctx) });

/** The page of each URL, and whether it was proposed to the user, by any watch. */
export const findPages = async (
  ctx: Ctx,
  userId: UserId,
  urls: readonly string[],
): Promise<{ url: string; page: string; isProposed: boolean }[]> => {
  if (urls.length === 0) return [];
  return ctx.db.execute<{ url: string; page: string; isProposed: boolean }>(sql`
    select url, page, page in (
      select ${pageOf(pageProposals.url)} from ${pageProposals} where ${eq(pageProposals.userId, userId)}
    ) as "isProposed"
    from (select url, ${pageOf(sql`url`)} as page
      from jsonb_array_elements_text(${JSON.stringify(urls)}::jsonb) as url) as listed`);
};

/** Which of these hashes of pages the user dismissed. */
export const findDismissed = async (ctx: Ctx, userId: UserId, hashes: readonly string[]): Promise<Set<string>> => {
  const { page } = pageDismissals;
  const rows = await ctx.db
    .select({ page })
    .from(pageDismissals)
    .where(and(eq(pageDismissals.userId, userId), isAnyOf(page, hashes)));
  return new Set(rows.map((row) => row.page));
};
