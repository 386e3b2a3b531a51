import { PACK_CREDITS, PLAN_CARDS, PLANS, type PlanSlug } from "#lib/features/billing/plans.ts";
import type { CatalogWire, CheckoutWire, SubscriptionWire } from "#lib/features/billing/schema.ts";
import type { UserWire } from "#lib/features/identity/schema.ts";

const SLUGS = ["free", "basic", "growth", "pro"] as const;
const toDollars = (tenthsOfCent: number) => tenthsOfCent / 1000;

/** A subscription as `GET /api/users/subscription/` returns it. */
export const subscriptionTo = (slug: PlanSlug, more: Partial<SubscriptionWire> = {}): SubscriptionWire => {
  const { name, priceTenthsOfCent, extraCreditTenthsOfCent, creditsPerPeriod } = PLANS[slug];
  const features = { extra_credit_price: toDollars(extraCreditTenthsOfCent), credits: creditsPerPeriod };
  const isPaid = slug !== "free";
  return {
    status: isPaid ? "active" : "no_subscription",
    auto_renew: isPaid,
    end_date: isPaid ? "2027-01-15T10:00:00Z" : null,
    plan: { id: slug, name, slug, price: toDollars(priceTenthsOfCent), features },
    next_plan: null,
    payment_problem: null,
    ...more,
  };
};

/** The catalog as `GET /api/users/plans/` returns it. */
export const catalog: CatalogWire = {
  plans: PLAN_CARDS.map(({ id, name, priceTenthsOfCent, description, features, buttonText, isPopular }) => ({
    id,
    name,
    price: toDollars(priceTenthsOfCent),
    description,
    features: [...features],
    buttonText,
    popular: isPopular,
    priceId: id === "free" ? null : `pri_${id}`,
  })),
  packs: SLUGS.flatMap((plan) =>
    PACK_CREDITS.map((credits) => ({
      plan,
      credits,
      price: toDollars(PLANS[plan].extraCreditTenthsOfCent * credits),
      priceId: `pri_${plan}_${credits}`,
    })),
  ),
  checkout: { token: "test_component", environment: "sandbox", scriptUrl: "/no-such-script.js" },
};

/** The user as `GET /api/users/me/` returns it. */
export const me = { id: "usr_1", email: "fern@example.com", username: "fern" } as unknown as UserWire;

/** The recorded checkout: the price id and the documented custom data (R-BUY-18, R-PRICE-12). */
export const recordCheckout =
  (plan: PlanSlug) =>
  ({ body }: { body: unknown }): CheckoutWire => {
    const order = Object(body);
    const same = { user_id: "usr_1", purchase_ref: "pur_1" };
    const isPack = order.kind === "pack";
    return {
      purchase_ref: "pur_1",
      price_id: isPack ? `pri_${plan}_${order.credits}` : `pri_${order.plan}`,
      customer_email: "fern@example.com",
      custom_data: isPack ? { credits: order.credits, plan_type: plan, ...same } : { plan_id: order.plan, ...same },
    };
  };
