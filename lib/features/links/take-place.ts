import "server-only";
import { and, eq, gt, isNotNull, sql } from "drizzle-orm";
import { linkChecks } from "#db/schema/links.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { addMs } from "#lib/core/time.ts";
import { FORGOTTEN_FIRST_MS, HOST_CHECKS_MAX, HOST_WINDOW_MS } from "./constants.ts";

/** Who wants to ask: a check its own address (by its row's key), or where that redirects to (null). */
interface Asking {
  site: string;
  urlHash: string | null;
}

/** When redirects led to a site, in ms, within the last minute: in this process, as rate limits are (decision 0003). */
const hops = new Map<string, number[]>();
const SITES_MAX = 1_000;

const hopsOf = (site: string, nowMs: number): number[] =>
  (hops.get(site) ?? []).filter((atMs) => Math.abs(nowMs - atMs) < HOST_WINDOW_MS);

const noteHop = (site: string, nowMs: number): void => {
  hops.set(site, [...hopsOf(site, nowMs), nowMs]);
  if (hops.size <= SITES_MAX) return;
  for (const one of hops.keys()) if (hopsOf(one, nowMs).length === 0) hops.delete(one);
};

const lockSite = (tx: Ctx, site: string) =>
  tx.db.execute(sql`select pg_advisory_xact_lock(hashtext('link_host'), hashtext(${site}))`);

const countAsked = async (tx: Ctx, site: string, now: Date): Promise<number> => {
  const isOfNow = and(eq(linkChecks.host, site), gt(linkChecks.askedAt, addMs(now, -HOST_WINDOW_MS)));
  return (await tx.db.$count(linkChecks, isOfNow)) + hopsOf(site, now.getTime()).length;
};

/** Says that a check asks now, or that it waits and is alive, so that the sweep sends no other. */
const tellCheck = async (tx: Ctx, urlHash: string, now: Date, hasPlace: boolean): Promise<void> => {
  const wakeAt = addMs(now, FORGOTTEN_FIRST_MS).toISOString();
  await tx.db
    .update(linkChecks)
    .set(hasPlace ? { askedAt: now } : { wakeAt: sql`greatest(${linkChecks.wakeAt}, ${wakeAt}::timestamptz)` })
    .where(and(eq(linkChecks.urlHash, urlHash), isNotNull(linkChecks.wakeAt)));
};

/**
 * Whether a site may be asked now, one caller of a site after the other. Whoever asks says so first, so that others count
 * it: first requests in the database, redirects in this process. Redirects to a site without room wait with their check.
 */
export const takePlace = (ctx: Ctx, { site, urlHash }: Asking): Promise<boolean> =>
  inTransaction(ctx, async (tx) => {
    await lockSite(tx, site);
    const now = await databaseTime(tx);
    const hasPlace = (await countAsked(tx, site, now)) < HOST_CHECKS_MAX;
    if (urlHash !== null) await tellCheck(tx, urlHash, now, hasPlace);
    else if (hasPlace) noteHop(site, now.getTime());
    return hasPlace;
  });
