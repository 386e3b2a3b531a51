import "server-only";
import { and, asc, count, eq, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import type { LostAccountWire } from "./schema.ts";

/**
 * The actor's accounts that must be connected again, and how many scheduled pins wait for each of them: none goes out
 * before, all go out after (R-SRV-05). The oldest connection first. @throws AppError `unauthenticated`
 */
export const findLostAccounts = async (ctx: Ctx): Promise<LostAccountWire[]> => {
  const { id, username, connectedAt } = pinterestAccounts;
  // The literal is what the index of scheduled pins is made for.
  const isWaiting = and(eq(pins.accountId, id), eq(pins.status, sql`'scheduled'`));
  const isLost = and(
    eq(pinterestAccounts.userId, requireUserId(ctx)),
    eq(pinterestAccounts.status, "reconnect_needed"),
  );
  return ctx.db
    .select({ id, username, waiting_pins: count(pins.id) })
    .from(pinterestAccounts)
    .leftJoin(pins, isWaiting)
    .where(isLost)
    .groupBy(id)
    .orderBy(asc(connectedAt), asc(id));
};
