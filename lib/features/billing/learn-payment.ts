import "server-only";
import { eq } from "drizzle-orm";
import { payments } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { announceLetters } from "#lib/features/letters/announce-letters.ts";
import type { PaymentFact, PaymentTransaction } from "#lib/integrations/payments/port.ts";
import { applyFact } from "./apply-fact.ts";
import { askProvider } from "./ask-provider.ts";
import { findOwner } from "./find-owner.ts";
import type { Payment } from "./queries.ts";

const findPayment = async (ctx: Ctx, id: string): Promise<Payment | undefined> =>
  (await ctx.db.select().from(payments).where(eq(payments.id, id)))[0];

/** The transaction, as the provider has it. @throws AppError `not_found` for one that it does not know */
const readTransaction = async (ctx: Ctx<"payments">, id: string): Promise<PaymentTransaction> => {
  const answer = await ctx.payments.getTransaction(id);
  if (answer.kind === "problem" && answer.problem.kind === "not_found") throw new AppError("not_found");
  return askProvider(ctx, Promise.resolve(answer));
};

/** The subscription it began, if it can be had: a payment alone gives its plan, so its absence stops nothing. */
const readSubscription = async (ctx: Ctx<"payments">, id: string): Promise<PaymentFact[]> => {
  const answer = await ctx.payments.getSubscription(id);
  if (answer.kind === "ok") return [{ kind: "subscription", subscription: answer.value }];
  ctx.log.set({ payment_problem: answer.problem.text });
  return [];
};

/**
 * Learns from the provider itself what became of a payment of the signed-in user, and settles it; one that was given
 * already is not asked about again. A browser's word is only which one to ask about (R-PAY-03).
 * @returns the stored payment, as it stands after that
 * @throws AppError `not_found` for a payment that is not this user's, whether or not it exists; the provider's problems
 */
export const learnPayment = async (
  ctx: Ctx<"payments" | "jobs">,
  { transactionId }: { transactionId: string },
): Promise<Payment> => {
  const userId = requireUserId(ctx);
  const known = await findPayment(ctx, transactionId);
  if (known?.userId && known.userId !== userId) throw new AppError("not_found");
  if (known?.userId && known.grantedAt) return known;
  const transaction = await readTransaction(ctx, transactionId);
  const owner = await findOwner(ctx, transaction);
  if (owner.userId !== userId) throw new AppError("not_found");
  // Before it is complete it gives nothing, whatever its subscription says; calls to the provider are few.
  const subscriptionId = transaction.status === "completed" ? transaction.subscriptionId : null;
  const facts: PaymentFact[] = [
    ...(subscriptionId ? await readSubscription(ctx, subscriptionId) : []),
    { kind: "transaction", transaction },
  ];
  for (const fact of facts) {
    const { letterIds } = await applyFact(ctx, { fact });
    if (letterIds.length > 0) await announceLetters(ctx, letterIds);
  }
  const learnt = await findPayment(ctx, transactionId);
  if (!learnt) throw new AppError("internal", { cause: new Error("A payment vanished after it was stored.") });
  return learnt;
};
