import "server-only";
import { and, eq, inArray } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { pinFigures } from "#db/schema/results.ts";
import type { Ctx } from "#lib/context.ts";
import { isId, type PinId } from "#lib/core/ids.ts";
import { type Due, isDue } from "./tell-due.ts";

/** Those of some pins that are still due, with Pinterest's names for them; ids may have waited in a run. */
export const findDue = async (
  ctx: Ctx,
  { pinIds, ...due }: Due & { pinIds: readonly string[] },
): Promise<{ id: PinId; pinterestPinId: string }[]> => {
  const rows = await ctx.db
    .select({ id: pins.id, pinterestPinId: pins.pinterestPinId })
    .from(pins)
    .leftJoin(pinFigures, eq(pinFigures.pinId, pins.id))
    .where(and(isDue(ctx, due), inArray(pins.id, [...pinIds])));
  return rows.flatMap(({ id, pinterestPinId }) =>
    pinterestPinId !== null && isId("pin", id) ? [{ id, pinterestPinId }] : [],
  );
};
