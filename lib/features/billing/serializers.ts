import "server-only";
import { toDollars, toMajor } from "#lib/core/money.ts";
import { nextLink } from "#lib/core/paging.ts";
import { formatCount } from "#lib/core/text.ts";
import { toIso, toIsoOrNull } from "#lib/core/time.ts";
import type { Catalogue, Checkout, ConfirmedPurchase } from "./checkout.ts";
import type { Payment, PaymentPage } from "./payment-history.ts";
import type { ChangedView, PreviewedChange } from "./plan-changes.ts";
import { PLAN_CARDS, PLANS, type PlanCard, type PlanSlug } from "./plans.ts";
import { hasReceipt, nextPlanOf, paymentStatusOf, standingOf } from "./policy.ts";
import type { SubscriptionView } from "./queries.ts";
import type {
  AddressWire,
  CancelWire,
  CatalogueWire,
  ChangeWire,
  CheckoutWire,
  PaymentWire,
  PurchaseWire,
  SubscriptionWire,
} from "./schema.ts";

const toPlanWire = (slug: PlanSlug): SubscriptionWire["plan"] => {
  const { name, priceTenthsOfCent, extraCreditTenthsOfCent, creditsPerPeriod } = PLANS[slug];
  const features = { extra_credit_price: toDollars(extraCreditTenthsOfCent), credits: creditsPerPeriod };
  return { id: slug, name, slug, price: toDollars(priceTenthsOfCent), features };
};

/** R-ENT-12: the bare object. `confirmation` says whether a payment that was just made has had its effect. */
export const toSubscriptionWire = (
  { plan, subscription, now }: SubscriptionView,
  confirmation?: SubscriptionWire["confirmation"],
): SubscriptionWire => {
  const { status, autoRenew, endsAt, paymentProblem } = standingOf(subscription, now);
  return {
    status,
    auto_renew: autoRenew,
    end_date: toIsoOrNull(endsAt),
    plan: toPlanWire(plan),
    next_plan: nextPlanOf(subscription, plan, now),
    payment_problem: paymentProblem,
    ...(confirmation && { confirmation }),
  };
};

/** */
export const toCancelWire = ({ message, view }: { message: string; view: SubscriptionView }): CancelWire => ({
  message,
  subscription: toSubscriptionWire(view),
});

const descriptionOf = ({ kind, plan, credits, origin }: Payment): string => {
  if (kind === "pack") return `${formatCount(credits)} credits`;
  if (!plan) return "Payment";
  const name = `${PLANS[plan].name} plan`;
  return origin === "subscription_update" ? `Change to the ${name}` : name;
};

/** R-ENT-13 */
export const toPaymentWire = (payment: Payment): PaymentWire => ({
  id: payment.id,
  amount: toMajor(payment.totalMinor, payment.currency),
  currency: payment.currency,
  payment_method: payment.method ?? "",
  transaction_id: payment.id,
  payment_date: toIso(payment.paidAt ?? payment.createdAt),
  status: paymentStatusOf(payment.status),
  description: descriptionOf(payment),
  has_receipt: hasReceipt(payment),
  refunded: toMajor(payment.refundedMinor, payment.currency),
});

/** R-API-16, A-19: the bare list. */
export const toPayments = ({ payments }: PaymentPage): PaymentWire[] => payments.map(toPaymentWire);

export const toPaymentsLink = ({ nextCursor }: PaymentPage, request: Request): Record<string, string> =>
  nextLink(nextCursor, request);

/** the answer of a change that was made. */
export const toChangedWire = ({ view, confirmation }: ChangedView): ChangeWire => ({
  subscription: toSubscriptionWire(view, confirmation),
  preview: null,
});

/** the answer of a change that was only asked about; amounts in the currency's major unit. */
export const toPreviewWire = (preview: PreviewedChange): ChangeWire => ({
  subscription: null,
  preview: {
    currency: preview.currency,
    due_now: toMajor(preview.dueNowMinor, preview.currency),
    next_total: toMajor(preview.nextTotalMinor, preview.currency),
    next_billed_at: toIsoOrNull(preview.nextBilledAt),
    takes_effect: preview.takesEffect,
  },
});

export const toAddressWire = (url: string): AddressWire => ({ url });

const toCardWire = (card: PlanCard, priceId: string | null): CatalogueWire["plans"][number] => ({
  id: card.id,
  name: card.name,
  price: toDollars(card.priceTenthsOfCent),
  description: card.description,
  features: [...card.features],
  buttonText: card.buttonText,
  popular: card.isPopular,
  priceId,
});

/** What is sold, in the names of R-PRICE-03; prices in dollars. */
export const toCatalogueWire = ({ offers, checkout }: Catalogue): CatalogueWire => {
  const planIds = new Map<string, string>(
    offers.flatMap(({ offer, priceId }) => (offer.kind === "plan" ? [[offer.plan, priceId]] : [])),
  );
  return {
    plans: PLAN_CARDS.map((card) => toCardWire(card, planIds.get(card.id) ?? null)),
    packs: offers.flatMap(({ offer, priceId }) =>
      offer.kind === "pack"
        ? [{ plan: offer.plan, credits: offer.credits, price: toDollars(offer.amountTenthsOfCent), priceId }]
        : [],
    ),
    checkout: { ...checkout },
  };
};

/** The custom data are named as documented (R-BUY-18, R-PRICE-12), with whose purchase it is (DESIGN §6). */
export const toCheckoutWire = ({ purchaseId, userId, email, offer, priceId }: Checkout): CheckoutWire => ({
  purchase_ref: purchaseId,
  price_id: priceId,
  customer_email: email,
  custom_data: {
    ...(offer.kind === "pack" ? { credits: offer.credits, plan_type: offer.plan } : { plan_id: offer.plan }),
    user_id: userId,
    purchase_ref: purchaseId,
  },
});

/** R-API-22: `success` says that the credits are there. */
export const toPurchaseWire = ({ availableCredits, ...same }: ConfirmedPurchase): PurchaseWire => ({
  success: same.status === "completed",
  ...same,
  available_credits: availableCredits,
});
