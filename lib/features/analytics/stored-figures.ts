import "server-only";
import { and, eq, inArray, lte, ne, or, type SQL, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pinFigures, resultGathers } from "#db/schema/analytics.ts";
import { pins } from "#db/schema/pins.ts";
import { deleteInBatches } from "#db/sql.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import type { AccountId, PinId } from "#lib/core/ids.ts";
import { addMs, HOUR_MS } from "#lib/core/time.ts";
import { forgetWeeks, retireWeeks } from "#lib/features/email/weekly.ts";
import type { PinterestDay, PinterestPinFigures } from "#lib/integrations/pinterest/port.ts";
import { GONE_KEPT_MS } from "./constants.ts";

/** What was learned of a pin. Those that are gone, or refused, have no figures. */
export type Found = Totals & { pinId: PinId; state: "ready" | "gone" | "refused" };

/** Takes a lock that a removal waits for: figures of a removed account are never written after they were deleted. */
const isThere = async (tx: Ctx, accountId: AccountId): Promise<boolean> => {
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
    .where(and(eq(pins.accountId, accountId), inArray(pins.id, ids)))
    .orderBy(pins.id)
    .for("key share");
  return new Set(rows.map(({ id }) => id));
};

/**
 * Writes down what Pinterest told of pins at a moment of the database's clock. What is known from a later asking stays;
 * pins and accounts that went meanwhile are left out. Run twice it writes the same. @returns how many were written.
 */
export const storeFigures = (
  ctx: Ctx,
  { accountId, askedAt, found }: { accountId: AccountId; askedAt: Date; found: readonly Found[] },
): Promise<number> =>
  inTransaction(ctx, async (tx) => {
    if (found.length === 0 || !(await isThere(tx, accountId))) return 0;
    const present = await lockPins(tx, accountId, found);
    const rows = found
      .filter(({ pinId }) => present.has(pinId))
      .map((one) => ({ ...one, accountId, fetchedAt: askedAt }));
    if (rows.length === 0) return 0;
    const written = await tx.db
      .insert(pinFigures)
      .values(rows)
      .onConflictDoUpdate({
        target: pinFigures.pinId,
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
        setWhere: lte(pinFigures.fetchedAt, sql`excluded.fetched_at`),
      })
      .returning({ pinId: pinFigures.pinId });
    return written.length;
  });

/** A pin's figures as they are kept. */
type Totals = Pick<
  typeof pinFigures.$inferInsert,
  "firstDay" | "readyThrough" | "impressions" | "pinClicks" | "outboundClicks" | "saves"
>;

/** Without what comes before the first and after the last day that is final. */
const finalSpan = <D extends PinterestDay<unknown>>(days: readonly D[]): D[] => {
  const isReady = ({ status }: D) => status === "ready";
  return days.slice(Math.max(0, days.findIndex(isReady)), days.findLastIndex(isReady) + 1);
};

/**
 * Days in order as running totals, from the first final day to the last. A day in between of which nothing is known
 * adds nothing, to seen and clicked alike, so that rates stay right.
 */
export const toTotals = (days: readonly PinterestDay<PinterestPinFigures>[], firstAsked: string): Totals => {
  const span = finalSpan(days);
  const running = (of: (figures: PinterestPinFigures) => number): number[] => {
    let sum = 0;
    return span.map(({ figures }) => {
      sum += figures ? of(figures) : 0;
      return sum;
    });
  };
  return {
    firstDay: span[0]?.date ?? firstAsked,
    readyThrough: span.at(-1)?.date ?? null,
    impressions: running(({ impressions }) => impressions),
    pinClicks: running(({ pinClicks }) => pinClicks),
    outboundClicks: running(({ outboundClicks }) => outboundClicks),
    saves: running(({ saves }) => saves),
  };
};

/**
 * Deletes figures that are older than this installation keeps them (D8), and those of removed accounts, where deleting
 * them with the account was cut short. Mails that tell figures and could not be sent go with the same hours. That Pinterest no longer has a pin is kept longer: it is no figure of theirs.
 */
export const retireFigures = async (ctx: Ctx): Promise<number> => {
  const now = await databaseTime(ctx);
  await retireWeeks(ctx, now);
  let deleted = 0;
  for (const where of isRetired(ctx, now)) {
    deleted += await deleteInBatches(ctx.db, { table: pinFigures, key: pinFigures.pinId, where });
  }
  return deleted;
};

/** Figures whose hours are over, by the index of ages alone. */
const isTooOld = (ctx: Ctx, now: Date): SQL | undefined => {
  const hours = ctx.settings.analyticsCacheHours;
  const isExpired = lte(pinFigures.fetchedAt, addMs(now, -hours * HOUR_MS));
  const isNoLongerGone = lte(pinFigures.fetchedAt, addMs(now, -GONE_KEPT_MS));
  return hours === 0 ? isExpired : and(isExpired, or(ne(pinFigures.state, "gone"), isNoLongerGone));
};

/** By an array, so that PostgreSQL looks each removed account up and does not read all figures to find none. */
const isOfRemoved = sql`${pinFigures.accountId} = any (array(
  select ${pinterestAccounts.id} from ${pinterestAccounts} where ${pinterestAccounts.status} = 'removed'))`;

/** What is deleted, by one statement each: neither reads the whole table. */
export const isRetired = (ctx: Ctx, now: Date): (SQL | undefined)[] => [isTooOld(ctx, now), isOfRemoved];

/**
 * Deletes what Pinterest told of accounts that are being removed, also in mails that still wait, and ends the fetching of it, in the transaction of
 * whoever removes them and after their rows were changed: a run that stores meanwhile comes before, or stores nothing.
 */
export const forgetFigures = async (tx: Ctx, { accountIds }: { accountIds: readonly string[] }): Promise<void> => {
  if (accountIds.length === 0) return;
  const ids = [...accountIds];
  await forgetWeeks(tx, { accountIds: ids });
  await tx.db.delete(pinFigures).where(inArray(pinFigures.accountId, ids));
  await tx.db
    .update(resultGathers)
    .set({ generation: sql`${resultGathers.generation} + 1`, wakeAt: null, resumesAt: null, problemText: null })
    .where(inArray(resultGathers.accountId, ids));
};
