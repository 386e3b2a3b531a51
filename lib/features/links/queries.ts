import "server-only";
import { and, inArray, isNull, lte, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { linkChecks } from "#db/schema/links.ts";
import { sha256 } from "#lib/core/crypto.ts";
import { addMs } from "#lib/core/time.ts";
import type { JobEvent } from "#lib/integrations/jobs/port.ts";
import { AGAIN_MS, FRESH_MS, FRESH_UNSETTLED_MS, HOST_MAX, UNSETTLED_STATES } from "./constants.ts";
import type { KnownLink } from "./schema.ts";

/** The key of a pin's link among the checks, in a query that reads `pins`. */
export const hashOfLink: SQL<string> = sql<string>`encode(sha256(convert_to(pins.link, 'UTF8')), 'hex')`;

/** Whether a pin leads to an address, in a query that reads `pins`: by the index of their digests. */
export const isPinOf = (url: SQLWrapper | string): SQL => sql`(md5(pins.link) = md5(${url}) and pins.link = ${url})`;

/**
 * What was found behind a pin's link, as one column of a query that reads `pins`: null without a link, for a published
 * pin, and before anybody asked. One look by primary key for each row that has a link.
 */
export const checkOfPin: SQL<KnownLink | null> = sql<KnownLink | null>`
  case when pins.link is not null and pins.status <> 'published' then (
    select json_build_object('state', state, 'finalUrl', final_url, 'httpStatus', http_status,
      'isBeingChecked', wake_at is not null) from link_checks
    where url_hash = ${hashOfLink}
  ) end`;

/** Checks that are done and count no longer: a day old, or an hour when nothing was learned. */
export const isOldCheck = (now: Date): SQL | undefined =>
  and(
    isNull(linkChecks.wakeAt),
    or(
      lte(linkChecks.checkedAt, addMs(now, -FRESH_MS)),
      and(inArray(linkChecks.state, [...UNSETTLED_STATES]), lte(linkChecks.checkedAt, addMs(now, -FRESH_UNSETTLED_MS))),
    ),
  );

/** Checks that are done, and not of this moment: somebody may ask for another. */
export const isAskableAgain = (now: Date): SQL | undefined =>
  and(isNull(linkChecks.wakeAt), lte(linkChecks.checkedAt, addMs(now, -AGAIN_MS)));

/** Addresses that pins lead to; nulls and doubles may be among them. */
export interface LinkList {
  links: readonly (string | null)[];
}

/** Each address once, in the order of its hash, in which everybody writes them. */
export const hashed = (links: LinkList["links"]): { urlHash: string; url: string }[] =>
  [...new Set(links)]
    .filter((url) => url !== null)
    .map((url) => ({ urlHash: sha256(url), url }))
    .sort((a, b) => (a.urlHash < b.urlHash ? -1 : 1));

type Row = typeof linkChecks.$inferSelect;

/** The event that has an address checked: one for each request, and one for each time the sweep came by. */
export const toCheckEvent = ({
  urlHash,
  host,
  requestedAt,
  sweeps,
}: Pick<Row, "urlHash" | "host" | "requestedAt" | "sweeps">): JobEvent => ({
  name: "links/check.requested",
  id: `link:${urlHash}:${requestedAt.getTime()}:${sweeps}`,
  // Rows of before were written with a host of any length.
  data: { urlHash, host: host.slice(0, HOST_MAX), requestedAt: requestedAt.getTime() },
});
