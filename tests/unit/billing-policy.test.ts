import { describe, expect, test } from "vitest";
import { dateWords, priceWords, statusLook } from "#components/billing/subscription-words.ts";
import { formatMoney, toMajor } from "#lib/core/money.ts";
import {
  courseOf,
  goesOn,
  mayCancel,
  nextPlanOf,
  paymentStatusOf,
  paymentWordOf,
  type SubscriptionState,
  standingOf,
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

describe("R-SUB-01, R-SUB-02, A-21, A-95, A-99 where a subscription stands", () => {
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
  ])("%s", (_, given, standing) => expect(standingOf(given, NOW)).toMatchObject(standing));

  test("A-96 the plan of the next renewal is told where it is smaller; a paused one goes on with its own", () => {
    expect(nextPlanOf(state(), "growth", NOW)).toBe("basic");
    expect(nextPlanOf(state(), "basic", NOW)).toBeNull();
    // Its payment is under way.
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
    expect(courseOf(target, { paid, scheduled }).kind).toBe(kind);
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

describe("the settings", () => {
  test("R-SET-06 R-SUB-04 cancelling is offered exactly when active, not without renewal, and not free", () => {
    expect(mayCancel(wire())).toBe(true);
    expect(mayCancel({ ...wire(), auto_renew: undefined })).toBe(true);
    expect(mayCancel(wire({ auto_renew: false }))).toBe(false);
    expect(mayCancel(wire({ plan: freePlan }))).toBe(false);
    for (const status of subscriptionStatus.options)
      expect([status, mayCancel(wire({ status }))]).toEqual([status, status === "active"]);
  });

  test("R-SUB-03 each status has its word and colour", () => {
    expect(subscriptionStatus.options.map((status) => [status, statusLook(status)])).toEqual([
      ["active", { word: "Active", tone: "published" }],
      ["trial", { word: "Trial", tone: "scheduled" }],
      ["active (canceling)", { word: "Canceling", tone: "canceling" }],
      ["canceled", { word: "Canceled", tone: "failed" }],
      ["no_subscription", { word: "No subscription", tone: "failed" }],
    ]);
  });

  test("the date says what it is", () => {
    const labelOf = (over: Partial<SubscriptionWire>) => dateWords(wire(over), "UTC")?.label;
    expect(dateWords(wire(), "UTC")).toEqual({ label: "Renews on", value: "Dec 5, 2026" });
    expect(labelOf({ next_plan: "basic" })).toBe("Changes on");
    expect(labelOf({ status: "active (canceling)" })).toBe("Ends on");
    expect(labelOf({ status: "canceled" })).toBe("Ended on");
    expect(labelOf({ status: "canceled", payment_problem: "paused" })).toBe("Paused on");
    expect(labelOf({ end_date: null })).toBeUndefined();
    expect([priceWords("free"), priceWords("pro")]).toEqual(["Free", "$79 a month"]);
  });

  test("R-SET-04 successful, pending, and anything else shows as failed", () => {
    expect(["completed", "paid", "billed", "ready", "past_due", "canceled", "new word"].map(paymentStatusOf)).toEqual([
      "successful",
      "pending",
      "pending",
      "failed",
      "failed",
      "failed",
      "failed",
    ]);
    expect(["successful", "pending", "failed", "refunded", ""].map(paymentWordOf)).toEqual([
      "Successful",
      "Pending",
      "Failed",
      "Failed",
      "Failed",
    ]);
  });

  test("what goes on at the provider is ended when the account is deleted, so the dialog says it", () => {
    expect(subscriptionStatus.options.filter((status) => goesOn(wire({ status })))).toEqual([
      "active",
      "trial",
      "active (canceling)",
    ]);
    expect(goesOn(wire({ status: "canceled", payment_problem: "paused" }))).toBe(true);
  });
});

test("amounts are read in their own currency, with its own digits", () => {
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

test("the provider's problems keep their kind and their wait", () => {
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
