import "server-only";
import { and, asc, eq, inArray, ne } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { isShown, type Pin, toPin } from "./queries.ts";

interface Asked {
  /** From outside, each once. */
  pinIds: readonly string[];
  /** Those that were deleted and can still come back, instead of those that are shown. */
  isDeleted?: boolean;
}

/**
 * Locks pins of the actor until the transaction ends: their accounts first, as everybody does, so that none is removed
 * meanwhile, then the pins in the order of their ids. @returns them in the order asked.
 * @throws AppError `not_found` when one is foreign, absent, of a removed account, or deleted (not deleted, if asked so).
 */
export const lockPins = async (tx: Ctx, { pinIds, isDeleted = false }: Asked): Promise<Pin[]> => {
  const isOwn = and(inArray(pins.id, [...pinIds]), eq(pins.userId, requireUserId(tx)));
  const accountIds = tx.db.selectDistinct({ id: pins.accountId }).from(pins).where(isOwn);
  const present = await tx.db
    .select({ id: pinterestAccounts.id })
    .from(pinterestAccounts)
    .where(and(inArray(pinterestAccounts.id, accountIds), ne(pinterestAccounts.status, "removed")))
    .orderBy(asc(pinterestAccounts.id))
    .for("share");
  const accounts = present.map(({ id }) => id);
  if (accounts.length === 0) throw new AppError("not_found");
  const rows = await tx.db
    .select()
    .from(pins)
    .where(and(isOwn, inArray(pins.accountId, accounts), isDeleted ? eq(pins.status, "deleted") : isShown))
    .orderBy(asc(pins.id))
    .for("update");
  const locked = new Map<string, Pin>(rows.map((row) => [row.id, toPin(row)]));
  const asked = pinIds.flatMap((id) => locked.get(id) ?? []);
  if (asked.length < pinIds.length) throw new AppError("not_found");
  return asked;
};
