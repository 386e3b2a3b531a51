import "server-only";
import { type SQL, sql } from "drizzle-orm";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { pageOf } from "#lib/features/links/queries.ts";

export interface PinnedPage {
  pins: number;
  lastPublishedAt: Date | null;
}

/** The user's pins that count as made, by account: that is what the index is on. */
export const pinnedBy = (userId: UserId): SQL => sql`pins where pins.link is not null and pins.status <> 'deleted'
  and pins.account_id in (select id from pinterest_accounts where user_id = ${userId})`;

/** The user's pins, without deleted ones, by the page that they link to. Pages without pins are missing. */
export const findPinnedPages = async (ctx: Ctx, urls: readonly string[]): Promise<Map<string, PinnedPage>> => {
  if (urls.length === 0) return new Map();
  const rows = await ctx.db.execute<{ url: string; pins: number; lastPublishedMs: number | null }>(sql`
    with pinned as (
      select ${pageOf(sql`pins.link`)} as page, count(*)::int as pins, max(published_at) as last
      from ${pinnedBy(requireUserId(ctx))} group by 1
    )
    select url, pinned.pins, (extract(epoch from last) * 1000)::float8 as "lastPublishedMs"
    from (select distinct url from jsonb_array_elements_text(${JSON.stringify(urls)}::jsonb) as url) as listed
    join pinned on pinned.page = ${pageOf(sql`url`)}`);
  return new Map(
    rows.map(({ url, pins, lastPublishedMs: last }) => [
      url,
      { pins, lastPublishedAt: last === null ? null : new Date(last) },
    ]),
  );
};
