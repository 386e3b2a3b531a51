import { describe, expect, test } from "vitest";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { SETTINGS_TEXTS } from "#lib/features/billing/constants.ts";
import { canCancel } from "#lib/features/billing/policy.ts";
import { toCancelWire } from "#lib/features/billing/serializers.ts";
import { cancelSubscription, resumeSubscription } from "#lib/features/billing/subscriptions.ts";
import { findBalance } from "#lib/features/credits/queries.ts";
import { CARDS } from "#tests/support/paddle.ts";
import { type Payer, subscriptionHarness } from "./subscription-harness.ts";

const { paddle, sync, payer, subscriber, wait, wireOf, paidOf } = subscriptionHarness();

const CANCELED = "Your subscription has been canceled. You'll still have access until the end of your billing period.";
const CANCELING = { status: "active (canceling)", auto_renew: false, plan: { slug: "basic" } };
const GOING_ON = { status: "active", auto_renew: true, plan: { slug: "basic" } };

const cancel = async ({ ctx }: Payer) => toCancelWire(await cancelSubscription(ctx));
const resume = async ({ ctx }: Payer) => toCancelWire(await resumeSubscription(ctx));

/** Whether the provider has recorded the cancellation. */
const isScheduled = async ({ ctx }: Payer, id: string): Promise<boolean> => {
  const answer = await ctx.payments.getSubscription(id);
  return answer.kind === "ok" && answer.value.scheduledChange?.action === "cancel";
};

describe("reading", () => {
  test("A-23 R-ENT-12 the free plan for users who never paid, even while the provider is down", async () => {
    const free = await payer();
    await paddle().addFault({ scenario: "cut", times: 1_000 });
    expect(await wireOf(free)).toEqual({
      status: "no_subscription",
      auto_renew: false,
      end_date: null,
      plan: { id: "free", name: "Free", slug: "free", price: 0, features: { extra_credit_price: 0.06, credits: 5 } },
      next_plan: null,
      payment_problem: null,
    });
  });

  test("R-SUB-01 R-ENT-12 a paid plan renews automatically and can be canceled", async () => {
    const someone = await subscriber();
    const wire = await wireOf(someone);
    expect(wire).toMatchObject({
      ...GOING_ON,
      plan: { name: "Basic", price: 29, features: { extra_credit_price: 0.05, credits: 400 } },
      next_plan: null,
      payment_problem: null,
    });
    expect(Date.parse(wire.end_date ?? "")).toBeGreaterThan(Date.now() + 27 * DAY_MS);
    expect(canCancel(wire)).toBe(true);
  });
});

describe("R-SET-07 A-20 canceling", () => {
  test("R-SET-08 R-SUB-02 the plan stays until the end of its period; repeating returns the same", async () => {
    const someone = await subscriber();
    const before = await wireOf(someone);
    const first = await cancel(someone);
    expect(first).toMatchObject({ message: CANCELED, subscription: { ...CANCELING, end_date: before.end_date } });
    expect(canCancel(first.subscription)).toBe(false);
    expect(await isScheduled(someone, someone.id)).toBe(true);
    expect(await cancel(someone)).toEqual(first);
    await sync();
    expect(await wireOf(someone)).toMatchObject(CANCELING);
  });

  test("R-SET-07 an end that is already scheduled is read back and not requested again", async () => {
    const someone = await subscriber();
    const first = await cancel(someone);
    await paddle().addFault({ scenario: "cut", match: "POST /subscriptions/:id/cancel", times: 1_000 });
    expect(await cancel(someone)).toEqual(first);
  });

  test("R-SET-07 an end removed in the provider's portal is requested again, even before its event arrives", async () => {
    const someone = await subscriber();
    const first = await cancel(someone);
    expect((await someone.ctx.payments.keepSubscription(someone.id)).kind).toBe("ok");
    expect(await cancel(someone)).toEqual(first);
    expect(await isScheduled(someone, someone.id)).toBe(true);
    await sync();
    expect(await wireOf(someone)).toMatchObject(CANCELING);
  });

  test("R-SET-07 does not confirm a scheduled end while the provider is down", async () => {
    const someone = await subscriber();
    await cancel(someone);
    await paddle().addFault({ scenario: "cut", times: 1_000 });
    await expect(cancel(someone)).rejects.toMatchObject({ code: "provider_unavailable" });
    expect(await wireOf(someone)).toMatchObject(CANCELING);
  });

  test("two concurrent requests cancel once", async () => {
    const someone = await subscriber();
    const both = await Promise.all([cancel(someone), cancel(someone)]);
    expect(both.map(({ message }) => message)).toEqual([CANCELED, CANCELED]);
    await sync();
    expect(await wireOf(someone)).toMatchObject(CANCELING);
  });

  test("can be undone, and undoing twice is harmless", async () => {
    const someone = await subscriber();
    await cancel(someone);
    for (const _ of [1, 2]) {
      expect(await resume(someone)).toMatchObject({ message: SETTINGS_TEXTS.resumed, subscription: GOING_ON });
    }
    expect(await isScheduled(someone, someone.id)).toBe(false);
    await sync();
    expect(await wireOf(someone)).toMatchObject(GOING_ON);
  });

  test("the database's clock decides when it is over, so a fast process clock refuses nothing early", async () => {
    const someone = await subscriber();
    await cancelSubscription(someone.ctx);
    const ahead = { ...someone.ctx, now: () => addMs(someone.ctx.now(), 40 * DAY_MS) };
    expect(await wireOf({ ...someone, ctx: ahead })).toMatchObject({ status: "active (canceling)" });
    await resumeSubscription(ahead);
    expect(await wireOf(someone)).toMatchObject({ status: "active", auto_renew: true });
  });

  test("R-SUB-06 A-95 after its date the plan is free, with and without an event", async () => {
    const someone = await subscriber();
    await cancel(someone);
    await wait(32 * DAY_MS);
    const ended = { status: "canceled", auto_renew: false, plan: { slug: "free", features: { credits: 5 } } };
    expect(await wireOf(someone)).toMatchObject(ended);
    await sync();
    expect(await wireOf(someone)).toMatchObject(ended);
    expect(await cancel(someone)).toMatchObject({ message: SETTINGS_TEXTS.canceledAtOnce, subscription: ended });
    await expect(resume(someone)).rejects.toMatchObject({
      code: "wrong_state",
      message: SETTINGS_TEXTS.nothingToResume,
    });
  });

  test("R-SUB-04 without a subscription there is nothing to cancel or keep", async () => {
    const free = await payer();
    await expect(cancel(free)).rejects.toMatchObject({ code: "wrong_state", message: SETTINGS_TEXTS.nothingToCancel });
    await expect(resume(free)).rejects.toMatchObject({ code: "wrong_state" });
    expect(canCancel(await wireOf(free))).toBe(false);
  });
});

describe("a failing provider", () => {
  const CANCEL = "POST /subscriptions/:id/cancel";

  test.each(["change-reply-lost", "change-server-error"])(
    "%s: done without an answer is read back, and counts as done",
    async (scenario) => {
      const someone = await subscriber();
      await paddle().addFault({ scenario, match: CANCEL, times: 1 });
      expect(await cancel(someone)).toMatchObject({ message: CANCELED, subscription: CANCELING });
      await paddle().addFault({ scenario, match: "PATCH /subscriptions/:id", times: 1 });
      expect(await resume(someone)).toMatchObject({ subscription: GOING_ON });
    },
  );

  test("not done: everything is unchanged, and the text says that the outcome is unknown", async () => {
    const someone = await subscriber();
    await paddle().addFault({ scenario: "server-error", match: CANCEL, times: 1 });
    await expect(cancel(someone)).rejects.toMatchObject({
      code: "provider_unavailable",
      message: SETTINGS_TEXTS.unknownOutcome,
    });
    expect(await wireOf(someone)).toMatchObject(GOING_ON);
    expect(await cancel(someone)).toMatchObject({ message: CANCELED });
  });

  test("done, but reading back fails too: the event arrives later, and a second request answers as usual", async () => {
    const someone = await subscriber();
    await paddle().addFault({ scenario: "change-reply-lost", match: CANCEL, times: 1 });
    await paddle().addFault({ scenario: "cut", match: "GET /subscriptions/:id", times: 1 });
    await expect(cancel(someone)).rejects.toMatchObject({ message: SETTINGS_TEXTS.unknownOutcome });
    expect(await wireOf(someone)).toMatchObject(GOING_ON);
    await sync();
    expect(await wireOf(someone)).toMatchObject(CANCELING);
    expect(await cancel(someone)).toMatchObject({ message: CANCELED, subscription: CANCELING });
  });

  test("rate limited: no further call is made, and the answer says how long to wait", async () => {
    const someone = await subscriber();
    await paddle().addFault({ scenario: "rate-limited", match: CANCEL, times: 1 });
    await expect(cancel(someone)).rejects.toMatchObject({ code: "provider_unavailable", retryAfterSeconds: 2 });
    expect(await wireOf(someone)).toMatchObject(GOING_ON);
  });

  test("canceled elsewhere meanwhile: the refusal is read back and counts as done", async () => {
    const someone = await subscriber();
    const gone = await someone.ctx.payments.cancelSubscription(someone.id, "now");
    expect(gone.kind).toBe("ok");
    expect(await cancel(someone)).toMatchObject({ subscription: { status: "canceled", plan: { slug: "free" } } });
  });
});

describe("A-99 failed renewals", () => {
  test("past due keeps the plan and says so, another card fixes it, and canceling still works", async () => {
    const someone = await subscriber("basic", CARDS.declinedLater);
    await wait(32 * DAY_MS);
    await sync();
    const wire = await wireOf(someone);
    expect(wire).toMatchObject({ status: "active", plan: { slug: "basic" }, payment_problem: "past_due" });
    expect(canCancel(wire)).toBe(true);
    await paddle().changeCard(someone.id, CARDS.good);
    await sync();
    expect(await wireOf(someone)).toMatchObject({ ...GOING_ON, payment_problem: null });
    expect((await findBalance(someone.ctx, someone.userId))?.allowance).toBe(400);
  });

  test("paused means the free plan until someone pays", async () => {
    const someone = await subscriber("basic", CARDS.declinedLater);
    await paddle().control("PATCH", "/settings", { dunningEnd: "paused" });
    await wait(70 * DAY_MS);
    await sync();
    const wire = await wireOf(someone);
    expect(wire).toMatchObject({ status: "canceled", plan: { slug: "free" }, payment_problem: "paused" });
    expect(canCancel(wire)).toBe(false);
    expect(wire.next_plan).toBe("basic");
    expect(await cancel(someone)).toMatchObject({ message: SETTINGS_TEXTS.canceledAtOnce });
    expect(await wireOf(someone)).toMatchObject({ status: "canceled", payment_problem: null });
  });

  test("paused resumes with another card and is charged once, however often it is requested", async () => {
    const someone = await subscriber("basic", CARDS.declinedLater);
    await paddle().control("PATCH", "/settings", { dunningEnd: "paused" });
    await wait(70 * DAY_MS);
    await sync();
    await paddle().changeCard(someone.id, CARDS.good);
    await paddle().addFault({ scenario: "change-reply-lost", match: "POST /subscriptions/:id/resume", times: 1 });
    expect(await resume(someone)).toMatchObject({ message: SETTINGS_TEXTS.restarted });
    await resume(someone);
    await sync();
    expect(await wireOf(someone)).toMatchObject({ ...GOING_ON, payment_problem: null });
    expect(await paidOf(someone, "subscription_recurring")).toHaveLength(1);
  });
});
