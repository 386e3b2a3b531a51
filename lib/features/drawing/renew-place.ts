import "server-only";
import { and, eq, sql } from "drizzle-orm";
import { drawingPlaces } from "#db/schema/drawing.ts";
import type { Ctx } from "#lib/context.ts";
import type { Claim } from "./ask-place.ts";
import { LEASE_MS } from "./constants.ts";
import { fromNow } from "./queries.ts";

/** Prolongs a call's lease. False when it has none any more: then another may draw already. */
export const renewPlace = async (ctx: Ctx, { reference, waiter }: Claim): Promise<boolean> => {
  const renewed = await ctx.db
    .update(drawingPlaces)
    .set({ leasedUntil: fromNow(LEASE_MS) })
    .where(
      and(
        eq(drawingPlaces.reference, reference),
        eq(drawingPlaces.waiter, waiter),
        sql`${drawingPlaces.leasedUntil} > clock_timestamp()`,
      ),
    )
    .returning({ reference: drawingPlaces.reference });
  return renewed.length > 0;
};
