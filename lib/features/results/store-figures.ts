import "server-only";
import { and, eq, inArray, lte, ne, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { pinFigures } from "#db/schema/results.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { AccountId, PinId } from "#lib/core/ids.ts";
import type { Totals } from "./sum-days.ts";

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
