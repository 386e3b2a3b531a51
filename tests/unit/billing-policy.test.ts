import { describe, expect, test } from "vitest";
import { dateText, priceText, statusChip } from "#components/billing/subscription-text.ts";
import { formatMoney, toMajor } from "#lib/core/money.ts";
import {
  canCancel,
  changeActionOf,
  isLive,
  nextPlanOf,
  paymentLabelOf,
  paymentStatusOf,
  type SubscriptionState,
  subscriptionStatusOf,
  toPaymentError,
} from "#lib/features/billing/policy.ts";
import { type SubscriptionWire, subscriptionStatus } from "#lib/features/billing/schema.ts";

const NOW = new Date("2026-11-20T12:00:00Z");
const LATER = new Date("2026-12-05T12:00:00Z");
const EARLIER = new Date("2026-11-05T12:00:00Z");

const state = (over: Partial<SubscriptionState> = {}): SubscriptionState => ({
  status: "active",
  plan: "basic",
  periodEndsAt: LATER,
  scheduledAction: null,
  scheduledAt: null,
  pausedAt: null,
  canceledAt: null,
  ...over,
});
const canceling = { scheduledAction: "cancel", scheduledAt: LATER } as const;

describe("R-SUB-01, R-SUB-02, A-21, A-95, A-99 subscription status", () => {
  test.each([
    ["active", state(), { status: "active", autoRenew: true, endsAt: LATER, paymentProblem: null }],
    ["trialing", state({ status: "trialing" }), { status: "trial", autoRenew: true, endsAt: LATER }],
    ["canceling", state(canceling), { status: "active (canceling)", autoRenew: false, endsAt: LATER }],
    [
      "canceling while past due",
      state({ ...canceling, status: "past_due" }),
      { status: "active (canceling)", autoRenew: false, paymentProblem: "past_due" },
    ],
    ["its day has come", state({ ...canceling, scheduledAt: EARLIER }), { status: "canceled", endsAt: EARLIER }],
    ["canceled", state({ status: "canceled", canceledAt: EARLIER }), { status: "canceled", endsAt: EARLIER }],
    ["past due", state({ status: "past_due" }), { status: "active", autoRenew: true, paymentProblem: "past_due" }],
    [
      "paused",
      state({ status: "paused", pausedAt: EARLIER }),
      { status: "canceled", autoRenew: false, endsAt: EARLIER, paymentProblem: "paused" },
    ],
    ["none", null, { status: "no_subscription", autoRenew: false, endsAt: null, paymentProblem: null }],
  ])("%s", (_, given, standing) => expect(subscriptionStatusOf(given, NOW)).toMatchObject(standing));

  test("A-96 shows the next renewal's plan when it is smaller, and a paused subscription's own plan", () => {
    expect(nextPlanOf(state(), "growth", NOW)).toBe("basic");
    expect(nextPlanOf(state(), "basic", NOW)).toBeNull();
    // Its payment is pending.
    expect(nextPlanOf(state({ plan: "pro" }), "basic", NOW)).toBeNull();
    expect(nextPlanOf(state(canceling), "growth", NOW)).toBeNull();
    expect(nextPlanOf(state({ status: "paused" }), "free", NOW)).toBe("basic");
    expect(nextPlanOf(null, "free", NOW)).toBeNull();
  });

  test.each([
    ["basic", "basic", "basic", "nothing"],
    ["growth", "basic", "basic", "upgrade"],
    ["basic", "growth", "growth", "renewal"],
    ["growth", "growth", "basic", "renewal"],
    ["pro", "growth", "basic", "upgrade"],
    ["pro", "basic", "growth", "wait"],
    ["basic", "free", "basic", "nothing"],
    ["growth", "free", "basic", "wait"],
  ] as const)("A-96 to %s, paid %s, next %s: %s", (target, paid, scheduled, kind) => {
    expect(changeActionOf(target, { paid, scheduled }).kind).toBe(kind);
  });
});

const wire = (over: Partial<SubscriptionWire> = {}): SubscriptionWire => ({
  status: "active",
  auto_renew: true,
  end_date: LATER.toISOString(),
  plan: { id: "basic", name: "Basic", slug: "basic", price: 29, features: { extra_credit_price: 0.05, credits: 400 } },
  next_plan: null,
  payment_problem: null,
  ...over,
});
const freePlan = { ...wire().plan, slug: "free" } as const;

describe("settings", () => {
  test("R-SET-06 R-SUB-04 canceling is offered only when active, renewing and not free", () => {
    expect(canCancel(wire())).toBe(true);
    expect(canCancel({ ...wire(), auto_renew: undefined })).toBe(true);
    expect(canCancel(wire({ auto_renew: false }))).toBe(false);
    expect(canCancel(wire({ plan: freePlan }))).toBe(false);
    for (const status of subscriptionStatus.options)
      expect([status, canCancel(wire({ status }))]).toEqual([status, status === "active"]);
  });

  test("R-SUB-03 each status has its text and color", () => {
    expect(subscriptionStatus.options.map((status) => [status, statusChip(status)])).toEqual([
      ["active", { text: "Active", tone: "published" }],
      ["trial", { text: "Trial", tone: "scheduled" }],
      ["active (canceling)", { text: "Canceling", tone: "canceling" }],
      ["canceled", { text: "Canceled", tone: "failed" }],
      ["no_subscription", { text: "No subscription", tone: "failed" }],
    ]);
  });

  test("the date has a label", () => {
    const labelOf = (over: Partial<SubscriptionWire>) => dateText(wire(over), "UTC")?.label;
    expect(dateText(wire(), "UTC")).toEqual({ label: "Renews on", value: "Dec 5, 2026" });
    expect(labelOf({ next_plan: "basic" })).toBe("Changes on");
    expect(labelOf({ status: "active (canceling)" })).toBe("Ends on");
    expect(labelOf({ status: "canceled" })).toBe("Ended on");
    expect(labelOf({ status: "canceled", payment_problem: "paused" })).toBe("Paused on");
    expect(labelOf({ end_date: null })).toBeUndefined();
    expect([priceText("free"), priceText("pro")]).toEqual(["Free", "$79 a month"]);
  });

  test("R-SET-04 shows successful, pending, and everything else as failed", () => {
    expect(["completed", "paid", "billed", "ready", "past_due", "canceled", "new word"].map(paymentStatusOf)).toEqual([
      "successful",
      "pending",
      "pending",
      "failed",
      "failed",
      "failed",
      "failed",
    ]);
    expect(["successful", "pending", "failed", "refunded", ""].map(paymentLabelOf)).toEqual([
      "Successful",
      "Pending",
      "Failed",
      "Failed",
      "Failed",
    ]);
  });

  test("a subscription that is live at the provider is ended with the account, so the dialog says so", () => {
    expect(subscriptionStatus.options.filter((status) => isLive(wire({ status })))).toEqual([
      "active",
      "trial",
      "active (canceling)",
    ]);
    expect(isLive(wire({ status: "canceled", payment_problem: "paused" }))).toBe(true);
  });
});

test("amounts use their currency's own digits", () => {
  expect([toMajor(2900, "USD"), toMajor(2900, "JPY"), toMajor(1350, "EUR"), toMajor(5, "???")]).toEqual([
    29, 2900, 13.5, 0.05,
  ]);
  expect([formatMoney(29, "USD"), formatMoney(2900, "JPY"), formatMoney(13.5, "EUR"), formatMoney(1, "???")]).toEqual([
    "$29.00",
    "¥2,900",
    "€13.50",
    "1.00 ???",
  ]);
});

test("provider problems keep their kind and delay", () => {
  const problem = { kind: "rate_limited", text: "Busy.", retryAfterSeconds: 7 } as const;
  expect(toPaymentError(problem)).toMatchObject({
    code: "provider_unavailable",
    message: "Busy.",
    retryAfterSeconds: 7,
  });
  expect(toPaymentError({ kind: "refused", text: "No." }, "Declined.")).toMatchObject({
    code: "refused",
    message: "Declined.",
  });
  expect(toPaymentError({ kind: "not_found", text: "Gone." })).toMatchObject({ code: "provider_failed" });
});
