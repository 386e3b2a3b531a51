import { describe, expect, test } from "vitest";
import { planActionOf, planSummary } from "#components/billing/plan-state.ts";
import { hasArrived, readPrices } from "#components/billing/plan-watch.ts";
import { formatDollarsAndCents, formatDollarsAndTenths } from "#lib/core/money.ts";
import {
  BUY_TEXTS,
  includedText,
  PRICING_TEXTS,
  purchasedText,
  upgradedText,
} from "#lib/features/billing/constants.ts";
import { PACK_CREDITS, PLANS, type PlanSlug } from "#lib/features/billing/plans.ts";
import type { SubscriptionWire } from "#lib/features/billing/schema.ts";

const ZONE = "Asia/Kathmandu";
const SLUGS = ["free", "basic", "growth", "pro"] as const satisfies readonly PlanSlug[];

const subscriptionOf = (slug: PlanSlug, more: Partial<SubscriptionWire> = {}): SubscriptionWire => ({
  status: slug === "free" ? "no_subscription" : "active",
  auto_renew: slug !== "free",
  end_date: slug === "free" ? null : "2026-12-22T10:00:00.000Z",
  plan: {
    id: slug,
    name: PLANS[slug].name,
    slug,
    price: 0,
    features: { extra_credit_price: 0, credits: PLANS[slug].creditsPerPeriod },
  },
  next_plan: null,
  payment_problem: null,
  ...more,
});

const labels = (subscription: SubscriptionWire): string[] =>
  SLUGS.map((slug) => planActionOf(slug, subscription, ZONE).label);
const kinds = (subscription: SubscriptionWire): string[] =>
  SLUGS.map((slug) => planActionOf(slug, subscription, ZONE).kind);

describe("displayed prices", () => {
  test("R-BUY-03 the price of a credit has three decimals", () => {
    expect(SLUGS.map((slug) => formatDollarsAndTenths(PLANS[slug].extraCreditTenthsOfCent))).toEqual([
      "$0.060",
      "$0.050",
      "$0.045",
      "$0.040",
    ]);
  });

  test("R-BUY-07, A-24: all 28 packs with two decimals", () => {
    const shown = SLUGS.map((slug) =>
      PACK_CREDITS.map((credits) => formatDollarsAndCents(PLANS[slug].extraCreditTenthsOfCent * credits)),
    );
    expect(shown).toEqual([
      ["$6.00", "$18.00", "$30.00", "$60.00", "$90.00", "$120.00", "$180.00"],
      ["$5.00", "$15.00", "$25.00", "$50.00", "$75.00", "$100.00", "$150.00"],
      ["$4.50", "$13.50", "$22.50", "$45.00", "$67.50", "$90.00", "$135.00"],
      ["$4.00", "$12.00", "$20.00", "$40.00", "$60.00", "$80.00", "$120.00"],
    ]);
  });

  test("the provider's prices replace ours only where they differ", () => {
    const ids = new Map([
      ["pri_basic", "basic"],
      ["pri_growth", "growth"],
    ] as const);
    const line = (id: string, total: string, formatted: string) => ({
      price: { id },
      totals: { total },
      formattedTotals: { total: formatted },
    });
    const read = (currencyCode: string, lineItems: unknown[]) =>
      // Only the fields that are read.
      readPrices(ids, { currencyCode, details: { lineItems } } as unknown as Parameters<typeof readPrices>[1]);
    expect(read("USD", [line("pri_basic", "2900", "$29.00"), line("pri_growth", "5880", "$58.80")])).toEqual({
      growth: "$58.80",
    });
    expect(read("EUR", [line("pri_basic", "2900", "€29.00"), line("pri_other", "1", "€0.01")])).toEqual({
      basic: "€29.00",
    });
  });
});

describe("button labels of plan cards", () => {
  test("R-PRICE-11, R-SUB-04: on the free plan every larger one can be bought", () => {
    expect(labels(subscriptionOf("free"))).toEqual([
      "Current plan",
      "Upgrade to Basic",
      "Upgrade to Growth",
      "Upgrade to Pro",
    ]);
    expect(kinds(subscriptionOf("free"))).toEqual(["current", "buy", "buy", "buy"]);
  });

  test("A-96 on a paid plan the others are changes; back to free means canceling", () => {
    expect(labels(subscriptionOf("growth"))).toEqual([
      "Cancel in Settings",
      "Switch to Basic",
      "Current plan",
      "Upgrade to Pro",
    ]);
    expect(kinds(subscriptionOf("growth"))).toEqual(["end", "change", "current", "change"]);
  });

  test("A-96 a scheduled downgrade shows its date and can be undone", () => {
    const waiting = subscriptionOf("growth", { next_plan: "basic" });
    expect(labels(waiting)).toEqual(["Cancel in Settings", "Starts Dec 22, 2026", "Stay on Growth", "Upgrade to Pro"]);
    expect(kinds(waiting)).toEqual(["end", "next", "change", "change"]);
  });

  test("R-SUB-06, A-95, A-99: after the end and while paused, plans are bought again", () => {
    const ended = subscriptionOf("free", { status: "canceled", end_date: "2026-11-01T00:00:00.000Z" });
    expect(kinds(ended)).toEqual(["current", "buy", "buy", "buy"]);
    const canceling = subscriptionOf("basic", { status: "active (canceling)", auto_renew: false });
    expect(labels(canceling)[0]).toBe("See Settings");
  });

  test("A-96, A-99: an ending or past due plan is fixed in Settings before it can change", () => {
    const canceling = subscriptionOf("basic", { status: "active (canceling)", auto_renew: false });
    expect(labels(canceling)).toEqual(["See Settings", "Current plan", "See Settings", "See Settings"]);
    const unpaid = subscriptionOf("growth", { payment_problem: "past_due", next_plan: "basic" });
    expect(labels(unpaid)).toEqual(["Cancel in Settings", "See Settings", "Current plan", "See Settings"]);
    for (const one of [canceling, unpaid]) expect(new Set(kinds(one))).toEqual(new Set(["current", "end"]));
  });

  test("A-96, R-PRICE-14: a purchase has arrived with any paid plan, a change with its plan or date", () => {
    const bought = { how: "paid", plan: "basic", kind: "buy" } as const;
    expect(hasArrived(bought, subscriptionOf("free"))).toBe(false);
    expect(hasArrived(bought, subscriptionOf("pro"))).toBe(true);
    const changed = { how: "paid", plan: "growth", kind: "change" } as const;
    expect(hasArrived(changed, subscriptionOf("basic"))).toBe(false);
    expect(hasArrived(changed, subscriptionOf("growth"))).toBe(true);
    expect(hasArrived(changed, subscriptionOf("pro", { next_plan: "growth" }))).toBe(true);
  });
});

test("R-PRICE-01 the banner describes the current plan", () => {
  const say = (subscription: SubscriptionWire) => planSummary(subscription, ZONE);
  expect(say(subscriptionOf("free"))).toEqual({ text: "5 credits a month, at no cost.", isProblem: false });
  expect(say(subscriptionOf("basic")).text).toBe("It renews on Dec 22, 2026.");
  expect(say(subscriptionOf("pro", { next_plan: "basic" })).text).toBe("It switches to Basic on Dec 22, 2026.");
  expect(say(subscriptionOf("basic", { status: "active (canceling)" })).text).toBe(
    "It ends on Dec 22, 2026. After that, you'll be on the Free plan.",
  );
  expect(say(subscriptionOf("basic", { payment_problem: "past_due" })).isProblem).toBe(true);
  expect(say(subscriptionOf("free", { payment_problem: "paused" })).isProblem).toBe(true);
  const paused = subscriptionOf("free", { status: "canceled", payment_problem: "paused", next_plan: "basic" });
  expect(labels(paused)).toEqual(["Current plan", "See Settings", "See Settings", "See Settings"]);
});

test("R-BUY-01, R-BUY-04, R-BUY-08, R-BUY-09, R-BUY-11, R-BUY-12, R-BUY-13, R-BUY-14, R-BUY-16, R-BUY-20, R-BUY-21, R-ERR-27: the literal texts of Buy Credits", () => {
  expect(BUY_TEXTS).toEqual({
    title: "Buy Credits",
    purchase: "Purchase Credits",
    processing: "Processing...",
    trust: ["Secure Payment", "Instant Credit", "Multiple Payment Options"],
    noPack: "Please select a credit package",
    notReady: "Payment system is not ready. Please try again.",
    noUser: "User information is missing. Please refresh or contact support.",
    noPrice: "Price ID not found for this credit package and plan",
    subscriptionFailed: "Failed to fetch subscription data",
    confirmFailed: "Failed to confirm purchase. Please contact support.",
    paymentFailed: "Failed to process payment",
  });
  expect(purchasedText(1000)).toBe("Successfully purchased 1,000 credits!");
  expect(includedText(400)).toBe("Your plan includes 400 credits per billing cycle");
  expect(includedText(2500)).toBe("Your plan includes 2,500 credits per billing cycle");
});

test("R-PRICE-15, R-PRICE-16, R-PRICE-17, R-PRICE-18, R-PRICE-19, R-PRICE-20, R-PRICE-21, A-98, R-ERR-24: the literal texts of Pricing", () => {
  expect(PRICING_TEXTS).toEqual({
    authFailed: "Failed to verify authentication status",
    subscriptionFailed: "Failed to fetch subscription status",
    loadFailed: "Failed to initialize payment system",
    notReady: "Payment system is not ready. Please try again.",
    noCustomer: "Customer information is missing. Please refresh or contact support.",
    upgradeFailed: "Failed to initiate upgrade. Please try again.",
    confirmFailed: "Failed to confirm subscription. Please contact support.",
  });
  expect(upgradedText("Growth")).toBe("Successfully upgraded to Growth! Your subscription will auto-renew monthly.");
});
