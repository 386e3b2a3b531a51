import "server-only";
import { toDollars, toMajor } from "#lib/core/money.ts";
import { nextLink } from "#lib/core/paging.ts";
import { formatCount } from "#lib/core/text.ts";
import { toIso, toIsoOrNull } from "#lib/core/time.ts";
import type { Catalog, Checkout, ConfirmedPurchase } from "./checkout.ts";
import type { Payment, PaymentPage } from "./payment-history.ts";
import type { ChangedView, PreviewedChange } from "./plan-changes.ts";
import { PLAN_CARDS, PLANS, type PlanCard, type PlanSlug } from "./plans.ts";
import { hasReceipt, nextPlanOf, paymentStatusOf, subscriptionStatusOf } from "./policy.ts";
import type { SubscriptionView } from "./queries.ts";
import type {
  CancelWire,
  CatalogWire,
  ChangeWire,
  CheckoutWire,
  PaymentWire,
  PurchaseWire,
  SubscriptionWire,
  UrlWire,
} from "./schema.ts";

const toPlanWire = (slug: PlanSlug): SubscriptionWire["plan"] => {
  const { name, priceTenthsOfCent, extraCreditTenthsOfCent, creditsPerPeriod } = PLANS[slug];
  const features = { extra_credit_price: toDollars(extraCreditTenthsOfCent), credits: creditsPerPeriod };
  return { id: slug, name, slug, price: toDollars(priceTenthsOfCent), features };
};

export const toSubscriptionWire = (
  { plan, subscription, now }: SubscriptionView,
  confirmation?: SubscriptionWire["confirmation"],
): SubscriptionWire => {
  const { status, autoRenew, endsAt, paymentProblem } = subscriptionStatusOf(subscription, now);
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

const toPaymentWire = (payment: Payment): PaymentWire => ({
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

export const toPayments = ({ payments }: PaymentPage): PaymentWire[] => payments.map(toPaymentWire);

export const toPaymentsLink = ({ nextCursor }: PaymentPage, request: Request): Record<string, string> =>
  nextLink(nextCursor, request);

export const toChangedWire = ({ view, confirmation }: ChangedView): ChangeWire => ({
  subscription: toSubscriptionWire(view, confirmation),
  preview: null,
});

/** Amounts are in major units. */
export const toPreviewWire = (preview: PreviewedChange): ChangeWire => ({
  subscription: null,
  preview: {
    currency: preview.currency,
    due_now: toMajor(preview.dueNowMinor, preview.currency),
    next_total: toMajor(preview.nextTotalMinor, preview.currency),
    next_billed_at: toIsoOrNull(preview.nextBilledAt),
    takes_effect: preview.takesEffect,
    credits_now: preview.creditsNow,
  },
});

export const toUrlWire = (url: string): UrlWire => ({ url });

const toCardWire = (card: PlanCard, priceId: string | null): CatalogWire["plans"][number] => ({
  id: card.id,
  name: card.name,
  price: toDollars(card.priceTenthsOfCent),
  description: card.description,
  features: [...card.features],
  buttonText: card.buttonText,
  popular: card.isPopular,
  priceId,
});

/** Prices are in dollars. */
export const toCatalogWire = ({ offers, checkout }: Catalog): CatalogWire => {
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

export const toPurchaseWire = ({ availableCredits, ...same }: ConfirmedPurchase): PurchaseWire => ({
  success: same.status === "completed",
  ...same,
  available_credits: availableCredits,
});
