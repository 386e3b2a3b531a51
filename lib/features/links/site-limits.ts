import "server-only";
import { and, desc, eq, gt, isNotNull, sql } from "drizzle-orm";
import { linkChecks } from "#db/schema/links.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { addMs, msUntil } from "#lib/core/time.ts";
import type { LinksPort } from "#lib/integrations/links/port.ts";
import { HOST_CHECKS_MAX, HOST_WINDOW_MS, RESERVED_LATE_MS, STALLED_FIRST_MS } from "./constants.ts";
import { nextRequestMs } from "./policy.ts";

/**
 * Times in ms of redirects to a site within the last minute. By client, so that those of several containers stay apart;
 * per process, like the rate limits (decision 0003).
 */
const redirectTimes = new WeakMap<LinksPort, Map<string, number[]>>();
const SITES_MAX = 1_000;

const recentRedirects = (links: LinksPort, site: string, nowMs: number): number[] =>
  (redirectTimes.get(links)?.get(site) ?? []).filter((atMs) => Math.abs(nowMs - atMs) < HOST_WINDOW_MS);

const recordRedirect = (links: LinksPort, site: string, nowMs: number): void => {
  const bySite = redirectTimes.get(links) ?? new Map<string, number[]>();
  redirectTimes.set(links, bySite.set(site, [...recentRedirects(links, site, nowMs), nowMs]));
  if (bySite.size <= SITES_MAX) return;
  for (const known of bySite.keys()) if (recentRedirects(links, known, nowMs).length === 0) bySite.delete(known);
};

const lockSite = (tx: Ctx, site: string) =>
  tx.db.execute(sql`select pg_advisory_xact_lock(hashtext('link_host'), hashtext(${site}))`);

/** When the site accepts another request. A row's `fetchedAt` in the future is a reserved request. */
const findNextTime = async (tx: Ctx, links: LinksPort, site: string, now: Date): Promise<Date> => {
  const { host, fetchedAt } = linkChecks;
  const rows = await tx.db
    .select({ fetchedAt })
    .from(linkChecks)
    .where(and(eq(host, site), gt(fetchedAt, addMs(now, -HOST_WINDOW_MS))))
    .orderBy(desc(fetchedAt))
    .limit(HOST_CHECKS_MAX);
  const requests = rows.flatMap((row) => (row.fetchedAt ? [row.fetchedAt.getTime()] : []));
  return new Date(nextRequestMs([...requests, ...recentRedirects(links, site, now.getTime())], now.getTime()));
};

/** `untilMs`: the time on the database's clock. */
export interface SiteWait {
  untilMs: number;
  afterMs: number;
}

const waitUntil = (at: Date, now: Date): SiteWait | null =>
  at > now ? { untilMs: at.getTime(), afterMs: msUntil(at, now) } : null;

/** `reservedMs`: the time that an earlier call reserved. */
interface RequestReservation {
  site: string;
  urlHash: string;
  reservedMs: number | null;
}

/**
 * Null when the check may request its page now. Otherwise its time is reserved, so that it waits once instead of
 * asking again and again. A run that comes much later than its time reserves another one.
 */
export const reserveRequest = (
  ctx: Ctx<"links">,
  { site, urlHash, reservedMs }: RequestReservation,
): Promise<SiteWait | null> =>
  inTransaction(ctx, async (tx) => {
    await lockSite(tx, site);
    const now = await databaseTime(tx);
    const isOpen = and(eq(linkChecks.urlHash, urlHash), isNotNull(linkChecks.wakeAt));
    const [row] = await tx.db.select({ fetchedAt: linkChecks.fetchedAt }).from(linkChecks).where(isOpen);
    const reserved = row?.fetchedAt ?? null;
    if (reserved && reserved > now) return waitUntil(reserved, now);
    // Of two runs with the same reservation, the first replaces it.
    const isOwn = reserved !== null && reserved.getTime() === reservedMs && msUntil(now, reserved) <= RESERVED_LATE_MS;
    const at = isOwn ? now : await findNextTime(tx, ctx.links, site, now);
    const wait = waitUntil(at, now);
    const wakeAt = addMs(at, STALLED_FIRST_MS).toISOString();
    await tx.db
      .update(linkChecks)
      .set({ fetchedAt: at, ...(wait && { wakeAt: sql`greatest(${linkChecks.wakeAt}, ${wakeAt}::timestamptz)` }) })
      .where(isOpen);
    return wait;
  });

/** Null when a redirect to the site may be followed now, which counts as a request. Otherwise nothing is reserved. */
export const reserveRedirect = (ctx: Ctx<"links">, site: string): Promise<SiteWait | null> =>
  inTransaction(ctx, async (tx) => {
    await lockSite(tx, site);
    const now = await databaseTime(tx);
    const wait = waitUntil(await findNextTime(tx, ctx.links, site, now), now);
    if (!wait) recordRedirect(ctx.links, site, now.getTime());
    return wait;
  });
