import "server-only";
import { and, lte, ne, or, type SQL, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pinFigures } from "#db/schema/results.ts";
import type { Ctx } from "#lib/context.ts";
import { addMs, HOUR_MS } from "#lib/core/time.ts";
import { GONE_KEPT_MS } from "./constants.ts";

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
