import "server-only";
import { and, eq, lte, ne, or, type SQL, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { analyticsSyncs, pinMetrics } from "#db/schema/analytics.ts";
import { pins } from "#db/schema/pins.ts";
import { deleteInBatches, isAnyOf } from "#db/sql.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import type { AccountId, PinId } from "#lib/core/ids.ts";
import { PURGE_STEP_MS } from "#lib/core/retention.ts";
import { addMs, HOUR_MS } from "#lib/core/time.ts";
import { deleteUnsentWeeklyEmails, purgeWeeklyEmails } from "#lib/features/email/weekly.ts";
import type { PinterestDay, PinterestPinMetrics } from "#lib/integrations/pinterest/port.ts";
import { GONE_TTL_MS } from "./constants.ts";

export type Found = Totals & { pinId: PinId; state: "ready" | "gone" | "refused" };

/** Locks the account, so that no metrics are written after its removal deleted them. */
const lockAccount = async (tx: Ctx, accountId: AccountId): Promise<boolean> => {
  const rows = await tx.db
    .select({ id: pinterestAccounts.id })
    .from(pinterestAccounts)
    .where(and(eq(pinterestAccounts.id, accountId), ne(pinterestAccounts.status, "removed")))
    .for("share");
  return rows.length > 0;
};

const lockPins = async (tx: Ctx, accountId: AccountId, found: readonly Found[]): Promise<Set<string>> => {
  const ids = found.map(({ pinId }) => pinId);
  const rows = await tx.db
    .select({ id: pins.id })
    .from(pins)
    .where(and(eq(pins.accountId, accountId), isAnyOf(pins.id, ids)))
    .orderBy(pins.id)
    .for("key share");
  return new Set(rows.map(({ id }) => id));
};

/** As of `requestedAt` on the database's clock: newer rows stay, removed pins and accounts are skipped. Idempotent. */
export const storeMetrics = (
  ctx: Ctx,
  { accountId, requestedAt, found }: { accountId: AccountId; requestedAt: Date; found: readonly Found[] },
): Promise<number> =>
  inTransaction(ctx, async (tx) => {
    if (found.length === 0 || !(await lockAccount(tx, accountId))) return 0;
    const present = await lockPins(tx, accountId, found);
    const rows = found
      .filter(({ pinId }) => present.has(pinId))
      .map((one) => ({ ...one, accountId, fetchedAt: requestedAt }));
    if (rows.length === 0) return 0;
    const written = await tx.db
      .insert(pinMetrics)
      .values(rows)
      .onConflictDoUpdate({
        target: pinMetrics.pinId,
        set: {
          accountId: sql`excluded.account_id`,
          state: sql`excluded.state`,
          firstDay: sql`excluded.first_day`,
          readyThrough: sql`excluded.ready_through`,
          impressions: sql`excluded.impressions`,
          pinClicks: sql`excluded.pin_clicks`,
          outboundClicks: sql`excluded.outbound_clicks`,
          saves: sql`excluded.saves`,
          fetchedAt: sql`excluded.fetched_at`,
        },
        setWhere: lte(pinMetrics.fetchedAt, sql`excluded.fetched_at`),
      })
      .returning({ pinId: pinMetrics.pinId });
    return written.length;
  });

type Totals = Pick<
  typeof pinMetrics.$inferInsert,
  "firstDay" | "readyThrough" | "impressions" | "pinClicks" | "outboundClicks" | "saves"
>;

const finalSpan = <D extends PinterestDay<unknown>>(days: readonly D[]): D[] => {
  const isReady = ({ status }: D) => status === "ready";
  return days.slice(Math.max(0, days.findIndex(isReady)), days.findLastIndex(isReady) + 1);
};

export const toTotals = (days: readonly PinterestDay<PinterestPinMetrics>[], firstRequestedDay: string): Totals => {
  const span = finalSpan(days);
  const running = (of: (metrics: PinterestPinMetrics) => number): number[] => {
    let sum = 0;
    return span.map(({ metrics }) => {
      sum += metrics ? of(metrics) : 0;
      return sum;
    });
  };
  return {
    firstDay: span[0]?.date ?? firstRequestedDay,
    readyThrough: span.at(-1)?.date ?? null,
    impressions: running(({ impressions }) => impressions),
    pinClicks: running(({ pinClicks }) => pinClicks),
    outboundClicks: running(({ outboundClicks }) => outboundClicks),
    saves: running(({ saves }) => saves),
  };
};

/** Deletes expired metrics, those of removed accounts, and unsent emails with expired metrics. */
export const purgeMetrics = async (ctx: Ctx): Promise<number> => {
  const now = await databaseTime(ctx);
  await purgeWeeklyEmails(ctx, now);
  let deleted = 0;
  for (const where of isPurgeable(ctx, now)) {
    deleted += await deleteInBatches(ctx.db, { table: pinMetrics, key: pinMetrics.pinId, where, maxMs: PURGE_STEP_MS });
  }
  return deleted;
};

const isTooOld = (ctx: Ctx, now: Date): SQL | undefined => {
  const hours = ctx.settings.analyticsCacheHours;
  const isExpired = lte(pinMetrics.fetchedAt, addMs(now, -hours * HOUR_MS));
  const isNoLongerGone = lte(pinMetrics.fetchedAt, addMs(now, -GONE_TTL_MS));
  return hours === 0 ? isExpired : and(isExpired, or(ne(pinMetrics.state, "gone"), isNoLongerGone));
};

/** An array, so that PostgreSQL looks up each removed account instead of scanning all metrics. */
const isOfRemoved = sql`${pinMetrics.accountId} = any (array(
  select ${pinterestAccounts.id} from ${pinterestAccounts} where ${pinterestAccounts.status} = 'removed'))`;

export const isPurgeable = (ctx: Ctx, now: Date): (SQL | undefined)[] => [isTooOld(ctx, now), isOfRemoved];

/** Run after the accounts' update in its transaction, so that a concurrent sync stores nothing afterward. */
export const deleteMetrics = async (tx: Ctx, { accountIds }: { accountIds: readonly string[] }): Promise<void> => {
  if (accountIds.length === 0) return;
  const ids = [...accountIds];
  await deleteUnsentWeeklyEmails(tx, { accountIds: ids });
  await tx.db.delete(pinMetrics).where(isAnyOf(pinMetrics.accountId, ids));
  await tx.db
    .update(analyticsSyncs)
    .set({ generation: sql`${analyticsSyncs.generation} + 1`, wakeAt: null, resumesAt: null, problemText: null })
    .where(isAnyOf(analyticsSyncs.accountId, ids));
};
