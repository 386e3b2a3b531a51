import "server-only";
import { hash } from "node:crypto";
import { and, eq, ne, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { isAnyOf } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/errors.ts";

/** What the user's own pins did with a page. */
export interface PinnedPage {
  pins: number;
  lastPublishedAt: Date | null;
}

/** The same page with and without a slash at its end. */
const spellingsOf = (url: string): string[] => {
  const { pathname, search, hash: fragment } = new URL(url);
  if (pathname === "/" || search !== "" || fragment !== "") return [url];
  return [url, url.endsWith("/") ? url.slice(0, -1) : `${url}/`];
};

const md5 = (text: string): string => hash("md5", text);

/** The user's pins, without deleted ones, by the page that they link to. Pages without pins are missing. */
export const findPinnedPages = async (ctx: Ctx, urls: readonly string[]): Promise<Map<string, PinnedPage>> => {
  const pageOf = new Map(urls.flatMap((url) => spellingsOf(url).map((spelling) => [spelling, url])));
  if (pageOf.size === 0) return new Map();
  const rows = await ctx.db
    .select({
      link: sql<string>`${pins.link}`,
      pins: sql<number>`count(*)::int`,
      lastPublishedAt: sql<string | null>`max(${pins.publishedAt})`,
    })
    .from(pins)
    .where(
      and(
        // The index on the digest; a digest alone could be another link's.
        isAnyOf(sql`md5(${pins.link})`, [...pageOf.keys()].map(md5)),
        isAnyOf(pins.link, pageOf.keys()),
        eq(pins.userId, requireUserId(ctx)),
        ne(pins.status, "deleted"),
      ),
    )
    .groupBy(pins.link);
  const found = new Map<string, PinnedPage>();
  for (const row of rows) {
    const url = pageOf.get(row.link) ?? row.link;
    const other = found.get(url);
    const at = row.lastPublishedAt === null ? null : new Date(row.lastPublishedAt);
    const last = [at, other?.lastPublishedAt ?? null]
      .filter((one) => one !== null)
      .sort((a, b) => b.getTime() - a.getTime());
    found.set(url, { pins: row.pins + (other?.pins ?? 0), lastPublishedAt: last[0] ?? null });
  }
  return found;
};
