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
import { announceLetters } from "#lib/features/email/delivery.ts";
import { findUser } from "#lib/features/identity/queries.ts";
import type { PaymentAnswer, PaymentFact, PaymentTransaction } from "#lib/integrations/payments/port.ts";
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

/**
 * The value of an answer of the payment provider that changes nothing there; its problems are counted for the log.
 * @throws AppError `provider_unavailable`, `provider_failed` or `refused`
 */
export const askProvider = async <T>(ctx: Ctx, answer: Promise<PaymentAnswer<T>>): Promise<T> => {
  const answered = await answer;
  if (answered.kind === "ok") return answered.value;
  ctx.log.count(`payments_problem_${answered.problem.kind}`);
  throw toPaymentError(answered.problem);
};

/** An offer and what the payment provider calls it. */
interface PricedOffer {
  key: PriceKey;
  offer: Offer;
  priceId: string;
}

export interface Catalogue {
  offers: PricedOffer[];
  checkout: CheckoutSettings;
}

/** Everything that is sold, the same for everybody, and how a checkout is opened. */
export const listOffers = async (ctx: Ctx): Promise<Catalogue> => ({
  offers: [...OFFERS].map(([key, offer]) => ({ key, offer, priceId: priceIdOf(ctx.settings.prices, key) })),
  checkout: ctx.settings.checkout,
});

/** A purchase that is written down, and what its checkout is opened with. */
export interface Checkout {
  purchaseId: PurchaseId;
  userId: UserId;
  email: string;
  offer: Offer;
  priceId: string;
}

/**
 * @throws AppError `wrong_state`: a second subscription would be paid for beside the first (A-96 changes the plan), or
 * beside one whose payment is under way.
 */
const refuseSecondPlan = async (tx: Ctx, userId: UserId, plan: PlanSlug): Promise<void> => {
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
 * Writes down what the signed-in user sets out to buy, before the checkout opens (DESIGN §6): a plan unless they have a
 * paid one, a pack at the price of their present plan at any time. It grants nothing.
 * @throws AppError `wrong_state` for a second plan, `not_found` without a price id (R-BUY-14), `unauthenticated`
 */
export const startCheckout = (ctx: Ctx, input: CheckoutInput): Promise<Checkout> =>
  inTransaction(ctx, async (tx) => {
    const userId = requireUserId(tx);
    const user = await findUser(tx, userId);
    if (!user) throw new AppError("unauthenticated");
    const plan = planAt(user, tx.now());
    if (input.kind === "plan") await refuseSecondPlan(tx, userId, plan);
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

/** What became of a purchase of credits. */
export type ConfirmedPurchase = Pick<PurchaseWire, "status" | "credits" | "message"> & { availableCredits: number };

/**
 * Confirms a pack that a browser says was bought (R-BUY-19, R-API-22): the provider is asked, and by our own table the
 * credits are given, once. Only the transaction's id is taken from the browser.
 * @throws AppError `not_found` for a foreign or unknown payment, `wrong_state` for one that is not paid, is for something
 * else, or is held; the provider's problems
 */
export const confirmPurchase = async (
  ctx: Ctx<"payments" | "jobs">,
  { transactionId }: { transactionId: string },
): Promise<ConfirmedPurchase> => {
  const payment = await learnPayment(ctx, { transactionId });
  if (payment.kind === "plan") throw new AppError("wrong_state", { text: CONFIRM_TEXTS.notCredits });
  const status = confirmationOf(payment);
  const { availableCredits } = await readBalance(ctx);
  const message = status === "completed" ? purchasedText(payment.credits) : CONFIRM_TEXTS.pending;
  return { status, credits: payment.credits, message, availableCredits };
};

/** A subscription after a checkout, and whether its payment is through. */
interface ConfirmedSubscription {
  view: SubscriptionView;
  confirmation: "completed" | "pending";
}

/**
 * Confirms a plan that a browser says was bought (R-PRICE-13, R-API-18): the provider is asked, and what was paid gives
 * the plan. Only the transaction's id is taken from the browser (R-PAY-03, A-59).
 * @throws AppError `not_found` for a foreign or unknown payment, `wrong_state` for one that is not paid, is for something
 * else, or is held; the provider's problems
 */
export const confirmSubscription = async (
  ctx: Ctx<"payments" | "jobs">,
  { transactionId }: { transactionId: string },
): Promise<ConfirmedSubscription> => {
  const payment = await learnPayment(ctx, { transactionId });
  if (payment.kind === "pack") throw new AppError("wrong_state", { text: CONFIRM_TEXTS.notPlan });
  const confirmation = confirmationOf(payment);
  return { view: await findSubscriptionView(ctx, requireUserId(ctx)), confirmation };
};

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
const learnPayment = async (
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

/**
 * Every night: deletes checkouts that were left before anybody tried to pay, anybody's and nobody's, and what was written
 * down to open one. One that is paid later still is told of again, with its user. @returns how many
 */
export const retireCheckouts = async (ctx: Ctx): Promise<number> => {
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
