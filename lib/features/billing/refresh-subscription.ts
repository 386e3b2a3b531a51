import "server-only";
import type { Ctx } from "#lib/context.ts";
import { applyFact } from "./apply-fact.ts";
import { askProvider } from "./ask-provider.ts";

/**
 * Reads a subscription (provider's id) back from the provider and settles what it says, as its event would: what we have
 * stored may wait for that event. Outside of transactions; twice changes nothing.
 * @throws AppError the provider's errors, then nothing is changed
 */
export const refreshSubscription = async (ctx: Ctx<"payments">, { id }: { id: string }): Promise<void> => {
  const subscription = await askProvider(ctx, ctx.payments.getSubscription(id));
  await applyFact(ctx, { fact: { kind: "subscription", subscription } });
};
