import "server-only";
import { and, eq, isNull, lte, or, sql } from "drizzle-orm";
import { subscriptions } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { CHANGE_LEASE_MS, SETTINGS_TEXTS } from "./constants.ts";

/**
 * Does something while no other change of the same subscription's plan is made: two at once could be charged twice. Held
 * by a lease in the database, so that a process that dies keeps nobody out for long. Outside of transactions.
 * @throws AppError `wrong_state` while another one works.
 */
export const holdChange = async <R>(ctx: Ctx, subscriptionId: string, work: () => Promise<R>): Promise<R> => {
  const { id, changingUntil } = subscriptions;
  const until = sql<Date>`now() + make_interval(secs => ${CHANGE_LEASE_MS / 1_000})`;
  const isFree = or(isNull(changingUntil), lte(changingUntil, sql`now()`));
  const [held] = await ctx.db
    .update(subscriptions)
    .set({ changingUntil: until })
    .where(and(eq(id, subscriptionId), isFree))
    .returning({ until: changingUntil });
  if (!held?.until) throw new AppError("wrong_state", { text: SETTINGS_TEXTS.changeUnderWay });
  try {
    return await work();
  } finally {
    // Only our own lease: one that ran out may be somebody else's by now.
    const isOurs = and(eq(id, subscriptionId), eq(changingUntil, held.until));
    await ctx.db.update(subscriptions).set({ changingUntil: null }).where(isOurs);
  }
};
