import "server-only";
import { and, eq, inArray, isNull, lte, notExists, sql } from "drizzle-orm";
import { paymentAdjustments, payments, purchases } from "#db/schema/billing.ts";
import { deleteInBatches } from "#db/sql.ts";
import { type CheckoutSettings, type Ctx, inTransaction } from "#lib/context.ts";
import { AppError, requireUserId } from "#lib/core/errors.ts";
import type { PurchaseId, UserId } from "#lib/core/ids.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";
import { readBalance } from "#lib/features/credits/statement.ts";
import { requestDelivery } from "#lib/features/email/delivery.ts";
import { findUser } from "#lib/features/identity/queries.ts";
import type { PaymentFact, PaymentResult, PaymentTransaction } from "#lib/integrations/payments/port.ts";
import { CHECKOUT_TEXTS, CONFIRM_TEXTS, purchasedText } from "./constants.ts";
import { applyFact } from "./events.ts";
import { OFFERS, type Offer, type PlanSlug, type PriceKey, packKey, planAt, planKey } from "./plans.ts";
import { confirmationOf, priceIdOf, toPaymentError } from "./policy.ts";
import {
  findLiveSubscription,
  findSubscriptionView,
  hasPendingPlan,
  type Payment,
  type SubscriptionView,
} from "./queries.ts";
import { findOwner } from "./records.ts";
import type { CheckoutInput, PurchaseWire } from "./schema.ts";

/** For reads only: a failed write may have happened. @throws AppError `provider_*`, `refused` */
export const unwrapResult = async <T>(ctx: Ctx, answer: Promise<PaymentResult<T>>): Promise<T> => {
  const answered = await answer;
  if (answered.kind === "ok") return answered.value;
  ctx.log.count(`payments_problem_${answered.problem.kind}`);
  throw toPaymentError(answered.problem);
};

interface PricedOffer {
  key: PriceKey;
  offer: Offer;
  priceId: string;
}

export interface Catalog {
  offers: PricedOffer[];
  checkout: CheckoutSettings;
}

export const listOffers = async (ctx: Ctx): Promise<Catalog> => ({
  offers: [...OFFERS].map(([key, offer]) => ({ key, offer, priceId: priceIdOf(ctx.settings.prices, key) })),
  checkout: ctx.settings.checkout,
});

export interface Checkout {
  purchaseId: PurchaseId;
  userId: UserId;
  email: string;
  offer: Offer;
  priceId: string;
}

const rejectSecondPlan = async (tx: Ctx, userId: UserId, plan: PlanSlug): Promise<void> => {
  if (plan !== "free") throw new AppError("wrong_state", { text: CHECKOUT_TEXTS.hasPlan });
  if (await hasPendingPlan(tx, userId)) throw new AppError("wrong_state", { text: CONFIRM_TEXTS.pending });
  const live = await findLiveSubscription(tx, userId);
  if (!live) return;
  throw new AppError("wrong_state", {
    text: live.status === "paused" ? CHECKOUT_TEXTS.isPaused : CHECKOUT_TEXTS.hasPlan,
  });
};

const offerOf = (key: PriceKey): Offer => {
  const offer = OFFERS.get(key);
  if (!offer) throw new AppError("internal", { cause: new Error(`There is no offer ${key}.`) });
  return offer;
};

/**
 * Records the intended purchase before the checkout opens; grants nothing.
 * @throws AppError `wrong_state` for a second plan, `not_found` when no price id is configured, `unauthenticated`
 */
export const startCheckout = (ctx: Ctx, input: CheckoutInput): Promise<Checkout> =>
  inTransaction(ctx, async (tx) => {
    const userId = requireUserId(tx);
    const user = await findUser(tx, userId);
    if (!user) throw new AppError("unauthenticated");
    const plan = planAt(user, tx.now());
    if (input.kind === "plan") await rejectSecondPlan(tx, userId, plan);
    const key = input.kind === "plan" ? planKey(input.plan) : packKey(plan, input.credits);
    const [offer, priceId] = [offerOf(key), priceIdOf(tx.settings.prices, key)];
    const purchaseId = tx.newId("purchase");
    await tx.db.insert(purchases).values({
      id: purchaseId,
      userId,
      kind: offer.kind,
      plan: offer.plan,
      credits: offer.kind === "pack" ? offer.credits : null,
      priceId,
      createdAt: tx.now(),
    });
    return { purchaseId, userId, email: user.email, offer, priceId };
  });

export type ConfirmedPurchase = Pick<PurchaseWire, "status" | "credits" | "message"> & { availableCredits: number };

/**
 * Confirms a pack purchase. Only the transaction id is trusted; the provider and our prices decide the grant, once.
 * @throws AppError `not_found` for another user's payment, `wrong_state` when unpaid or held; provider errors
 */
export const confirmPurchase = async (
  ctx: Ctx<"payments" | "jobs">,
  { transactionId }: { transactionId: string },
): Promise<ConfirmedPurchase> => {
  const payment = await syncPayment(ctx, { transactionId });
  if (payment.kind === "plan") throw new AppError("wrong_state", { text: CONFIRM_TEXTS.notCredits });
  const status = confirmationOf(payment);
  const { availableCredits } = await readBalance(ctx);
  const message = status === "completed" ? purchasedText(payment.credits) : CONFIRM_TEXTS.pending;
  return { status, credits: payment.credits, message, availableCredits };
};

interface ConfirmedSubscription {
  view: SubscriptionView;
  confirmation: "completed" | "pending";
}

/** Confirms a plan purchase. Only the transaction id is trusted. @throws AppError as `confirmPurchase` */
export const confirmSubscription = async (
  ctx: Ctx<"payments" | "jobs">,
  { transactionId }: { transactionId: string },
): Promise<ConfirmedSubscription> => {
  const payment = await syncPayment(ctx, { transactionId });
  if (payment.kind === "pack") throw new AppError("wrong_state", { text: CONFIRM_TEXTS.notPlan });
  const confirmation = confirmationOf(payment);
  return { view: await findSubscriptionView(ctx, requireUserId(ctx)), confirmation };
};

const findPayment = async (ctx: Ctx, id: string): Promise<Payment | undefined> =>
  (await ctx.db.select().from(payments).where(eq(payments.id, id)))[0];

const readTransaction = async (ctx: Ctx<"payments">, id: string): Promise<PaymentTransaction> => {
  const answer = await ctx.payments.getTransaction(id);
  if (answer.kind === "problem" && answer.problem.kind === "not_found") throw new AppError("not_found");
  return unwrapResult(ctx, Promise.resolve(answer));
};

/** The payment alone grants the plan, so a failure to read the subscription is not an error. */
const readSubscription = async (ctx: Ctx<"payments">, id: string): Promise<PaymentFact[]> => {
  const answer = await ctx.payments.getSubscription(id);
  if (answer.kind === "ok") return [{ kind: "subscription", subscription: answer.value }];
  ctx.log.set({ payment_problem: answer.problem.text });
  return [];
};

/** @throws AppError `not_found` for any payment that is not this user's; provider errors */
const syncPayment = async (
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
  // An incomplete payment grants nothing; not fetching its subscription saves provider calls.
  const subscriptionId = transaction.status === "completed" ? transaction.subscriptionId : null;
  const facts: PaymentFact[] = [
    ...(subscriptionId ? await readSubscription(ctx, subscriptionId) : []),
    { kind: "transaction", transaction },
  ];
  for (const fact of facts) {
    const { emailIds } = await applyFact(ctx, { fact });
    if (emailIds.length > 0) await requestDelivery(ctx, emailIds);
  }
  const payment = await findPayment(ctx, transactionId);
  if (!payment) throw new AppError("internal", { cause: new Error("A payment vanished after it was stored.") });
  return payment;
};

/** Deletes checkouts that no one tried to pay. A late payment still arrives with its user id. */
export const purgeCheckouts = async (ctx: Ctx): Promise<number> => {
  const before = addMs(ctx.now(), -RETENTION_MS.checkout);
  const { id, status, failure, method, grantedAt, heldReason, asOf } = payments;
  const returned = ctx.db
    .select({ one: sql`1` })
    .from(paymentAdjustments)
    .where(eq(paymentAdjustments.transactionId, id));
  const left = await deleteInBatches(ctx.db, {
    table: payments,
    key: id,
    where: and(
      inArray(status, ["draft", "ready", "canceled"]),
      lte(asOf, before),
      isNull(failure),
      isNull(method),
      isNull(grantedAt),
      isNull(heldReason),
      notExists(returned),
    ),
  });
  const paid = ctx.db.select({ one: sql`1` }).from(payments).where(eq(payments.purchaseId, purchases.id));
  const begun = await deleteInBatches(ctx.db, {
    table: purchases,
    key: purchases.id,
    where: and(lte(purchases.createdAt, before), notExists(paid)),
  });
  return left + begun;
};
