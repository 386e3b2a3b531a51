import "server-only";
import type { Ctx } from "#lib/context.ts";
import type { PaidPlanSlug } from "./constants.ts";
import { priceIdOf, refusalTextOf } from "./policy.ts";
import { writeSubscription } from "./write-subscription.ts";

/** `prorate`: charged at once for the rest of the period; `free`: from the next renewal on. */
export interface PriceChange {
  id: string;
  plan: PaidPlanSlug;
  billing: "prorate" | "free";
}

/** Gives a subscription the price of a plan at the provider, under the lease of a change. @throws as `writeSubscription` */
export const setPrice = (ctx: Ctx<"payments">, { id, plan, billing }: PriceChange): Promise<void> => {
  const priceId = priceIdOf(ctx.settings.prices, `plan:${plan}`);
  return writeSubscription(ctx, {
    id,
    write: () => ctx.payments.changePrice(id, priceId, billing),
    hasHappened: (subscription) => subscription.priceId === priceId,
    refusalText: refusalTextOf,
  });
};
