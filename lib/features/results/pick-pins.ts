import "server-only";
import { desc, eq, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { pinFigures } from "#db/schema/results.ts";
import type { Ctx } from "#lib/context.ts";
import type { PinId } from "#lib/core/ids.ts";
import { isFresh } from "./queries.ts";
import { type Due, isDue } from "./tell-due.ts";

/**
 * The pins of an account whose figures a reader misses most: those without any first, then those whose figures go
 * soon, each newest first.
 */
export const pickPins = async (ctx: Ctx, { count, ...due }: Due & { count: number }): Promise<PinId[]> => {
  const rows = await ctx.db
    .select({ id: pins.id })
    .from(pins)
    .leftJoin(pinFigures, eq(pinFigures.pinId, pins.id))
    .where(isDue(ctx, due))
    .orderBy(sql`(${isFresh(ctx)}) is true`, desc(pins.publishedAt), desc(pins.id))
    .limit(count);
  // Rows of this table hold the ids of pins.
  return rows.map(({ id }) => id as PinId);
};
