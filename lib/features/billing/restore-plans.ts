import "server-only";
import { and, eq, isNull, lt, sql } from "drizzle-orm";
import { subscriptions } from "#db/schema/billing.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { addMs, MINUTE_MS } from "#lib/core/time.ts";
import { applyFact } from "./apply-fact.ts";
import { askProvider } from "./ask-provider.ts";
import { holdChange } from "./hold-change.ts";
import { keepDowngrade } from "./keep-downgrade.ts";
import type { Subscription } from "./queries.ts";
import { setPrice } from "./set-price.ts";

/** Longer than any call of a change can still be under way at the provider. */
const PATIENCE_MS = 5 * MINUTE_MS;
/** Subscriptions of one round. */
const RESTORED_MAX = 20;

const findRow = async (ctx: Ctx, id: string): Promise<Subscription | undefined> =>
  (await ctx.db.select().from(subscriptions).where(eq(subscriptions.id, id)))[0];

/** Puts the downgrade back if the provider still has the plan that it was taken back to; else the upgrade was made. */
const restore = async (ctx: Ctx<"payments">, id: string): Promise<void> => {
  const subscription = await askProvider(ctx, ctx.payments.getSubscription(id));
  await applyFact(ctx, { fact: { kind: "subscription", subscription } });
  const row = await findRow(ctx, id);
  // Taken up elsewhere meanwhile, or it is to end: then it waits for what becomes of that.
  if (!row?.keptTo || row.status !== "active" || row.scheduledAction !== null) return;
  if (row.plan === row.keptFrom && row.keptTo !== "free") {
    await setPrice(ctx, { id, plan: row.keptTo, billing: "free" });
  }
  await keepDowngrade(ctx, id, null);
};

/**
 * Puts back downgrades that were taken back for an upgrade of which nobody knows whether it was made: the provider's
 * answer was lost, or the process died. May run twice. @returns how many were looked at
 */
export const restorePlans = async (ctx: Ctx<"payments">): Promise<number> => {
  const { id, status, scheduledAction, keptAt } = subscriptions;
  const before = addMs(await databaseTime(ctx), -PATIENCE_MS);
  const rows = await ctx.db
    .select({ id })
    .from(subscriptions)
    .where(and(lt(keptAt, before), eq(status, "active"), isNull(scheduledAction)))
    .orderBy(sql`random()`)
    .limit(RESTORED_MAX);
  for (const row of rows) {
    if (ctx.stopping.aborted) break;
    try {
      await holdChange(ctx, row.id, () => restore(ctx, row.id));
    } catch (error) {
      // A change is under way, or it is refused now: the next round is soon. Anything else is a fault of ours.
      if (!(error instanceof AppError)) throw error;
      if (error.code === "provider_unavailable") break;
    }
  }
  return rows.length;
};
