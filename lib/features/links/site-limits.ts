import "server-only";
import { and, asc, desc, eq, gt, isNotNull, lt, sql } from "drizzle-orm";
import { linkChecks, siteRequests } from "#db/schema/links.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { addMs, msUntil } from "#lib/core/time.ts";
import {
  HOST_CHECKS_MAX,
  HOST_WINDOW_MS,
  RESERVED_LATE_MS,
  RESERVED_WINDOW_MS,
  SHARED_HOST_CHECKS_MAX,
  STALLED_FIRST_MS,
} from "./constants.ts";
import { firstFreeMs, nextRequestMs, sharedTotalOf } from "./policy.ts";

const SHARED_TIMES_PAGE = 10 * SHARED_HOST_CHECKS_MAX;

const lockSite = (tx: Ctx, site: string) =>
  tx.db.execute(sql`select pg_advisory_xact_lock(hashtext('link_host'), hashtext(${site}))`);

const findOwnTime = async (tx: Ctx, site: string, now: Date): Promise<Date> => {
  const since = addMs(now, -HOST_WINDOW_MS);
  const checks = await tx.db
    .select({ at: linkChecks.fetchedAt })
    .from(linkChecks)
    .where(and(eq(linkChecks.host, site), gt(linkChecks.fetchedAt, since)))
    .orderBy(desc(linkChecks.fetchedAt))
    .limit(HOST_CHECKS_MAX);
  const others = await tx.db
    .select({ at: siteRequests.at })
    .from(siteRequests)
    .where(and(eq(siteRequests.site, site), gt(siteRequests.at, since)))
    .orderBy(desc(siteRequests.at))
    .limit(HOST_CHECKS_MAX);
  const times = [...checks, ...others].flatMap(({ at }) => (at ? [at.getTime()] : []));
  return new Date(nextRequestMs(times, now.getTime()));
};

/** When the site, and the host that it may share, accept another request. Times in the future are reserved. */
const findNextTime = async (tx: Ctx, site: string, now: Date): Promise<Date> => {
  const own = await findOwnTime(tx, site, now);
  const total = sharedTotalOf(site);
  if (total === null) return own;
  // Always after the site, so that no two wait for each other.
  await lockSite(tx, total);
  return findSharedTime(tx, total, own);
};

/** Between reserved times too, or the queue of one site would hold up all others. Most calls read one page. */
const findSharedTime = async (tx: Ctx, total: string, from: Date): Promise<Date> => {
  let at = from;
  let limit = SHARED_TIMES_PAGE;
  for (;;) {
    const page = await tx.db
      .select({ at: siteRequests.at })
      .from(siteRequests)
      .where(and(eq(siteRequests.site, total), gt(siteRequests.at, addMs(at, -RESERVED_WINDOW_MS))))
      .orderBy(asc(siteRequests.at))
      .limit(limit);
    const times = page.map((row) => row.at.getTime());
    const freeMs = firstFreeMs(times, at.getTime(), SHARED_HOST_CHECKS_MAX);
    const last = times.at(-1) ?? 0;
    if (times.length < limit || last >= freeMs + RESERVED_WINDOW_MS) return new Date(freeMs);
    // More than a page in one window: without this, the same rows would be read forever.
    if (freeMs === at.getTime()) limit *= 2;
    at = new Date(freeMs);
  }
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
export const reserveRequest = (ctx: Ctx, { site, urlHash, reservedMs }: RequestReservation): Promise<SiteWait | null> =>
  inTransaction(ctx, async (tx) => {
    await lockSite(tx, site);
    const now = await databaseTime(tx);
    const isOpen = and(eq(linkChecks.urlHash, urlHash), isNotNull(linkChecks.wakeAt));
    const [row] = await tx.db.select({ fetchedAt: linkChecks.fetchedAt }).from(linkChecks).where(isOpen);
    const reserved = row?.fetchedAt ?? null;
    if (reserved && reserved > now) return waitUntil(reserved, now);
    // Of two runs with the same reservation, the first replaces it.
    const isOwn = reserved !== null && reserved.getTime() === reservedMs && msUntil(now, reserved) <= RESERVED_LATE_MS;
    const at = isOwn ? now : await findNextTime(tx, site, now);
    if (!isOwn) await countAtHost(tx, site, { at, now });
    const wait = waitUntil(at, now);
    const wakeAt = addMs(at, STALLED_FIRST_MS).toISOString();
    await tx.db
      .update(linkChecks)
      .set({ fetchedAt: at, ...(wait && { wakeAt: sql`greatest(${linkChecks.wakeAt}, ${wakeAt}::timestamptz)` }) })
      .where(isOpen);
    return wait;
  });

/** Deletes what no longer counts, such as the place of a page that nobody came back for. */
const recordRequest = async (tx: Ctx, now: Date, request: typeof siteRequests.$inferInsert): Promise<void> => {
  const isOver = and(eq(siteRequests.site, request.site), lt(siteRequests.at, addMs(now, -HOST_WINDOW_MS)));
  await tx.db.delete(siteRequests).where(isOver);
  await tx.db.insert(siteRequests).values(request);
};

/** Counts a time that {@link findNextTime} found at the host that the site shares, if any. */
const countAtHost = async (tx: Ctx, site: string, { at, now }: { at: Date; now: Date }): Promise<void> => {
  const total = sharedTotalOf(site);
  if (total !== null) await recordRequest(tx, now, { site: total, at });
};

/** Null when a request to the site may be made now, which counts. Otherwise nothing is reserved. */
export const reserveRedirect = (ctx: Ctx, site: string): Promise<SiteWait | null> =>
  inTransaction(ctx, async (tx) => {
    await lockSite(tx, site);
    const now = await databaseTime(tx);
    const wait = waitUntil(await findNextTime(tx, site, now), now);
    if (wait) return wait;
    await recordRequest(tx, now, { site, at: now });
    await countAtHost(tx, site, { at: now, now });
    return null;
  });

/** A page goes before link checks: it gets the first time that one of them waits for, which then waits until `at`. */
const overtakeCheck = async (tx: Ctx, { site, at, now }: { site: string; at: Date; now: Date }): Promise<Date> => {
  const { urlHash, fetchedAt, wakeAt } = linkChecks;
  const [first] = await tx.db
    .select({ urlHash, fetchedAt })
    .from(linkChecks)
    .where(and(eq(linkChecks.host, site), gt(fetchedAt, now), isNotNull(wakeAt)))
    .orderBy(asc(fetchedAt))
    .limit(1);
  if (!first?.fetchedAt || first.fetchedAt >= at) return at;
  const sweepAt = addMs(at, STALLED_FIRST_MS).toISOString();
  await tx.db
    .update(linkChecks)
    .set({ fetchedAt: at, wakeAt: sql`greatest(${wakeAt}, ${sweepAt}::timestamptz)` })
    .where(eq(urlHash, first.urlHash));
  return first.fetchedAt;
};

/**
 * Null when a request to the site may be made now, which counts. Otherwise `waiter` has a place there until its time
 * has passed; asking again doesn't change it.
 */
const reserveTurn = (ctx: Ctx, { site, waiter }: { site: string; waiter: string }): Promise<SiteWait | null> =>
  inTransaction(ctx, async (tx) => {
    await lockSite(tx, site);
    const now = await databaseTime(tx);
    const isOwn = and(eq(siteRequests.site, site), eq(siteRequests.waiter, waiter));
    const [own] = await tx.db.select({ at: siteRequests.at }).from(siteRequests).where(isOwn);
    if (own && own.at > now) return waitUntil(own.at, now);
    const isDue = own !== undefined && msUntil(now, own.at) <= RESERVED_LATE_MS;
    const next = isDue ? now : await findNextTime(tx, site, now);
    if (!isDue) await countAtHost(tx, site, { at: next, now });
    const at = next > now ? await overtakeCheck(tx, { site, at: next, now }) : next;
    const wait = waitUntil(at, now);
    await tx.db.delete(siteRequests).where(isOwn);
    await recordRequest(tx, now, { site, at, waiter: wait && waiter });
    return wait;
  });

export type TakeTurn = (site: string) => Promise<SiteWait | null>;

/**
 * Counts a reading once at each site: readings that give up in the middle would use up the limit for all.
 * @param waiter keeps its place at a site that is at its limit; null reserves nothing
 */
export const createTurns = (ctx: Ctx, waiter: string | null): TakeTurn => {
  const counted = new Set<string>();
  return async (site) => {
    if (counted.has(site)) return null;
    const wait = await (waiter === null ? reserveRedirect(ctx, site) : reserveTurn(ctx, { site, waiter }));
    if (!wait) counted.add(site);
    return wait;
  };
};
