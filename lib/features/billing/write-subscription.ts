import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { PaymentAnswer, PaymentProblem, PaymentSubscription } from "#lib/integrations/payments/port.ts";
import { applyFact } from "./apply-fact.ts";
import { SETTINGS_TEXTS } from "./constants.ts";
import { toPaymentError } from "./policy.ts";

/** A change of a subscription at the provider. */
export interface SubscriptionWrite {
  id: string;
  write: () => Promise<PaymentAnswer<PaymentSubscription>>;
  /** Whether a description of the subscription shows the change. */
  hasHappened: (subscription: PaymentSubscription) => boolean;
  /** What to say to a refusal. */
  refusalText?: (problem: PaymentProblem) => string;
}

const keep = (ctx: Ctx, subscription: PaymentSubscription) =>
  applyFact(ctx, { fact: { kind: "subscription", subscription } });

/**
 * Changes a subscription at the provider and keeps what it says it has become, as an event would. Where the outcome is
 * unknown, or the provider refuses, the subscription is read back: what has happened counts as done, whoever did it. Outside
 * of transactions.
 * @throws AppError `refused`; `provider_unavailable`, its text saying so when it is not certain that nothing was done.
 */
export const writeSubscription = async (ctx: Ctx<"payments">, change: SubscriptionWrite): Promise<void> => {
  const answer = await change.write();
  if (answer.kind === "ok") {
    await keep(ctx, answer.value);
    return;
  }
  const { problem } = answer;
  ctx.log.count(`payments_problem_${problem.kind}`);
  // Nothing was done, and asking more would only be refused as well.
  if (problem.kind === "rate_limited") throw toPaymentError(problem);
  const read = await ctx.payments.getSubscription(change.id);
  if (read.kind === "ok") {
    await keep(ctx, read.value);
    if (change.hasHappened(read.value)) return;
  }
  if (problem.kind === "unavailable") {
    throw new AppError("provider_unavailable", { text: SETTINGS_TEXTS.unknownOutcome });
  }
  throw toPaymentError(problem, change.refusalText?.(problem));
};
