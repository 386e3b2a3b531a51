import "server-only";
import { and, inArray, isNull, lte, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { linkChecks } from "#db/schema/links.ts";
import { isAnyOf } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { sha256 } from "#lib/core/crypto.ts";
import { addMs } from "#lib/core/time.ts";
import type { JobEvent } from "#lib/integrations/jobs/port.ts";
import { FRESH_INCONCLUSIVE_MS, FRESH_MS, HOST_MAX, INCONCLUSIVE_STATES, RECHECK_GAP_MS } from "./constants.ts";
import type { KnownLink } from "./schema.ts";

export const hashOfLink = (link: SQLWrapper): SQL<string> =>
  sql<string>`encode(sha256(convert_to(${link}, 'UTF8')), 'hex')`;

/** Whether a pin has this link, in a query on `pins`. Uses the index on the digest. */
export const isPinOf = (url: SQLWrapper | string): SQL => sql`(md5(pins.link) = md5(${url}) and pins.link = ${url})`;

/** Without protocol, and slashes at the end of the path. One pattern for both takes PostgreSQL five times as long. */
const plainOf = (link: SQL): SQL<string> => sql<string>`regexp_replace(
  regexp_replace(${link}, '^https?://', ''), '^([^?#]*[^/?#])/+(?=[?#]|$)', '\\1')`;

/**
 * The page that a link leads to: without protocol, campaign tags, and slashes at the end of its path. Equal texts are the
 * same page; they aren't meant to be shown.
 */
export const pageOf = (link: SQLWrapper): SQL<string> =>
  plainOf(sql`case when ${link} ilike '%?%utm\\_%' then
  regexp_replace(regexp_replace(${link}, '(?<=[?&])utm_[^&#]*&?', '', 'gi'), '[?&](?=#|$)', '') else ${link} end`);

/** A link with either protocol, with and without a slash at the end of its path, as an array. */
export const spellingsOf = (link: SQLWrapper): SQL => {
  const plain = plainOf(sql`${link}`);
  const slashed = sql`regexp_replace(${plain}, '^[^?#]*', '\\&/')`;
  return sql`array['https://' || ${plain}, 'http://' || ${plain}, 'https://' || ${slashed}, 'http://' || ${slashed}]`;
};

const isSlideOf = (url: SQLWrapper | string): SQL =>
  sql`(md5(pin_slides.link) = md5(${url}) and pin_slides.link = ${url})`;

/** Whether a pin or one of its slides has this link, in a query on `pins`. */
export const leadsTo = (url: SQLWrapper | string): SQL =>
  sql`pins.id in (select id from pins where ${isPinOf(url)} union select pin_id from pin_slides where ${isSlideOf(url)})`;

export const isUnreferenced = (url: SQLWrapper | string): SQL =>
  sql`not exists (select from pins where ${isPinOf(url)}) and not exists (select from pin_slides where ${isSlideOf(url)})`;

/** The check of a pin's link, in a query on `pins`; null without a link, before a check, and for published pins. */
export const checkOfPin: SQL<KnownLink | null> = sql<KnownLink | null>`
  case when pins.link is not null and pins.status <> 'published' then (
    select json_build_object('state', state, 'finalUrl', final_url, 'httpStatus', http_status,
      'isBeingChecked', wake_at is not null) from link_checks
    where url_hash = ${hashOfLink(sql`pins.link`)}
  ) end`;

/** Finished checks that no longer count: a day old, or an hour when inconclusive. */
export const isOldCheck = (now: Date): SQL | undefined =>
  and(
    isNull(linkChecks.wakeAt),
    or(
      lte(linkChecks.checkedAt, addMs(now, -FRESH_MS)),
      and(
        inArray(linkChecks.state, [...INCONCLUSIVE_STATES]),
        lte(linkChecks.checkedAt, addMs(now, -FRESH_INCONCLUSIVE_MS)),
      ),
    ),
  );

export const isRecheckable = (now: Date): SQL | undefined =>
  and(isNull(linkChecks.wakeAt), lte(linkChecks.checkedAt, addMs(now, -RECHECK_GAP_MS)));

/** The checks of links that have one, by link. */
export const findChecks = async (ctx: Ctx, { links }: LinkList): Promise<Map<string, KnownLink>> => {
  const hashes = hashed(links).map(({ urlHash }) => urlHash);
  if (hashes.length === 0) return new Map();
  const { url, state, finalUrl, httpStatus, wakeAt } = linkChecks;
  const rows = await ctx.db
    .select({ url, state, finalUrl, httpStatus, isBeingChecked: sql<boolean>`${wakeAt} is not null` })
    .from(linkChecks)
    .where(isAnyOf(linkChecks.urlHash, hashes));
  return new Map(rows.map(({ url: link, ...check }) => [link, check]));
};

export interface LinkList {
  links: readonly (string | null)[];
}

/** Each link once, ordered by hash: the order in which all transactions lock them. */
export const hashed = (links: LinkList["links"]): { urlHash: string; url: string }[] =>
  [...new Set(links)]
    .filter((url) => url !== null)
    .map((url) => ({ urlHash: sha256(url), url }))
    .sort((a, b) => (a.urlHash < b.urlHash ? -1 : 1));

type Row = typeof linkChecks.$inferSelect;

export const toCheckEvent = ({
  urlHash,
  host,
  requestedAt,
  sweeps,
}: Pick<Row, "urlHash" | "host" | "requestedAt" | "sweeps">): JobEvent => ({
  name: "links/check.requested",
  id: `link:${urlHash}:${requestedAt.getTime()}:${sweeps}`,
  // Older rows may hold a longer host.
  data: { urlHash, host: host.slice(0, HOST_MAX), requestedAt: requestedAt.getTime() },
});
