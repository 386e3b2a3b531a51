import "server-only";
import { and, eq, type SQL } from "drizzle-orm";
import { drawingPlaces } from "#db/schema/drawing.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { Claim } from "./ask-place.ts";
import { grantPlaces } from "./grant-places.ts";
import { lockLine } from "./queries.ts";

/** @returns whether the call took up a place, which is free now. */
const leave = async (tx: Ctx, mine: SQL | undefined): Promise<boolean> => {
  const [left] = await tx.db.delete(drawingPlaces).where(mine).returning({ isDrawing: drawingPlaces.isDrawing });
  return left?.isDrawing ?? false;
};

/**
 * Hands a call's place on at once. `keepsLease`: the model has answered, but what it drew is not stored yet; until it
 * is, nobody else may draw the same. Otherwise the call leaves the line altogether.
 */
export const releasePlace = async (
  ctx: Ctx,
  { reference, waiter, keepsLease }: Claim & { keepsLease: boolean },
): Promise<void> => {
  const granted = await inTransaction(ctx, async (tx) => {
    await lockLine(tx);
    const mine = and(eq(drawingPlaces.reference, reference), eq(drawingPlaces.waiter, waiter));
    if (keepsLease) await tx.db.update(drawingPlaces).set({ isDrawing: false }).where(mine);
    else if (!(await leave(tx, mine))) return [];
    return (await grantPlaces(tx)).granted;
  });
  for (const next of granted) ctx.bell.ring(next);
};
