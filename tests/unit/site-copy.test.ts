import { describe, expect, test } from "vitest";
import { faqs, plainAnswer } from "#components/site/faqs/faqs.ts";
import { formatDollars, formatDollarsAndCents, toDollars } from "#lib/core/money.ts";
import { SUPPORT_HOURS, SUPPORT_REPLY, SUPPORT_REPLY_HOURS } from "#lib/core/support.ts";
import {
  REFUND_REVIEW_BUSINESS_DAYS,
  REFUND_TRANSIT_BUSINESS_DAYS,
  REFUND_WINDOW_DAYS,
} from "#lib/features/billing/constants.ts";
import { PACK_CREDITS, PLAN_CARDS, PLANS, type PlanSlug, POPULAR_PACK } from "#lib/features/billing/plans.ts";

const SLUGS: PlanSlug[] = ["free", "basic", "growth", "pro"];
const PRODUCT = {
  name: "Pine & Co",
  creatorPath: "/app/pine-co-creator",
  creatorLabel: "Pine & Co Creator",
  supportEmail: "help@example.com",
  supportPhone: "+44 20 7946 0123",
  postalAddress: "1 Sample Street, London",
  sandboxServices: [],
};

describe("constants", () => {
  test("R-CONST-03, R-CONST-04, R-CONST-05, R-CONST-06: prices, credits, accounts and extra credit price of the four plans", () => {
    const row = (read: (plan: (typeof PLANS)[PlanSlug]) => number) => SLUGS.map((slug) => read(PLANS[slug]));
    expect(row(({ priceTenthsOfCent }) => toDollars(priceTenthsOfCent))).toEqual([0, 29, 49, 79]);
    expect(row(({ creditsPerPeriod }) => creditsPerPeriod)).toEqual([5, 400, 1000, 2500]);
    expect(row(({ accounts }) => accounts)).toEqual([1, 3, 5, 7]);
    expect(row(({ extraCreditTenthsOfCent }) => toDollars(extraCreditTenthsOfCent))).toEqual([0.06, 0.05, 0.045, 0.04]);
  });

  test("R-CONST-07 the credit packs, with only 500 marked as popular", () => {
    expect(PACK_CREDITS).toEqual([100, 300, 500, 1000, 1500, 2000, 3000]);
    expect(POPULAR_PACK).toBe(500);
  });

  test("R-CONST-08, R-CONST-09, R-CONST-10, R-CONST-11, R-GEN-06: refunds and support", () => {
    expect(REFUND_WINDOW_DAYS).toEqual({ monthly: 14, annual: 30 });
    expect(REFUND_REVIEW_BUSINESS_DAYS).toBe(2);
    expect(REFUND_TRANSIT_BUSINESS_DAYS).toEqual({ card: "5-10", paypal: "3-5", bankTransfer: "5-7" });
    expect([SUPPORT_REPLY_HOURS, SUPPORT_REPLY]).toEqual([24, "within 24 hours"]);
    expect(SUPPORT_HOURS).toBe("Mon-Fri 9AM-5PM GMT");
  });

  test("A-24 formats prices with as many decimals as needed, and totals with two", () => {
    expect([0, 29_000, 60, 45, 40, 1_500].map(formatDollars)).toEqual([
      "$0",
      "$29",
      "$0.06",
      "$0.045",
      "$0.04",
      "$1.50",
    ]);
    expect([4_500, 13_500, 0, 45, 120_000].map(formatDollarsAndCents)).toEqual([
      "$4.50",
      "$13.50",
      "$0.00",
      "$0.05",
      "$120.00",
    ]);
  });

  test("R-PRICE-03, R-PRICE-04, R-PRICE-05, R-PRICE-06, R-PRICE-07: the plan cards match the constants", () => {
    expect(PLAN_CARDS.map(({ id, name, isPopular }) => [id, name, isPopular])).toEqual([
      ["free", "Free", false],
      ["basic", "Basic", true],
      ["growth", "Growth", false],
      ["pro", "Pro", false],
    ]);
    expect(PLAN_CARDS.map(({ features }) => features)).toEqual([
      ["5 credits a month", "1 Pinterest account", "Extra credits at $0.06 each"],
      ["400 credits a month", "3 Pinterest accounts", "Extra credits at $0.05 each", "Priority email support"],
      ["1,000 credits a month", "5 Pinterest accounts", "Extra credits at $0.045 each"],
      ["2,500 credits a month", "7 Pinterest accounts", "Extra credits at $0.04 each", "Priority support 24/7"],
    ]);
  });
});

describe("FAQ", () => {
  const categories = faqs(PRODUCT);
  const items = categories.flatMap((category) => category.items);
  const answerOf = (id: string): string => {
    const item = items.find((candidate) => candidate.id === id);
    if (!item) throw new Error(`No question has the id ${id}`);
    return plainAnswer(item);
  };

  test("R-FAQ-02 has four categories with unique questions", () => {
    expect(categories.map(({ title }) => title)).toEqual([
      "Getting Started",
      "Features & Usage",
      "Analytics & Performance",
      "Account & Billing",
    ]);
    expect(categories.every((category) => category.items.length >= 5)).toBe(true);
    const ids = [...categories, ...items].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("R-FAQ-04, A-06: the free allowance is 5 credits a month, 5 standard or 2 high pins", () => {
    expect(answerOf("free-plan")).toContain("5 free credits every calendar month");
    expect(answerOf("free-plan")).toContain("5 standard pins or 2 high-quality ones");
  });

  test("R-FAQ-04, A-06, A-07: the 14-day guarantee covers subscription fees, not credits", () => {
    expect(answerOf("money-back")).toContain("14-day money-back guarantee on monthly plans");
    expect(answerOf("money-back")).toContain("It does not cover purchased credits.");
    expect(answerOf("refund-credits")).toContain("not refundable");
  });

  test("A-06 no '50' free pins claim", () => {
    expect(items.filter((item) => /\b50\s+(?:free|pins)\b|\bfree\s+50\b/i.test(plainAnswer(item)))).toEqual([]);
  });

  test("A-83 explains how fresh the metrics are and how long they are kept", () => {
    expect(answerOf("analytics")).toMatch(/^Yes\. .*final after about two days\. We keep them for a day at most\./);
  });

  test("A-01 uses the configured product name", () => {
    expect(JSON.stringify(categories)).not.toContain("Evertack");
    expect(JSON.stringify(categories)).toContain("Pine & Co");
  });
});
