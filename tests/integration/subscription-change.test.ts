import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { subscriptions } from "#db/schema/billing.ts";
import { DAY_MS, HOUR_MS } from "#lib/core/time.ts";
import { startCheckout } from "#lib/features/billing/checkout.ts";
import { CHANGE_LEASE_MS, SETTINGS_TEXTS } from "#lib/features/billing/constants.ts";
import { changePlan, previewChange } from "#lib/features/billing/plan-changes.ts";
import type { PaidPlanSlug } from "#lib/features/billing/plans.ts";
import { toChangedWire, toCheckoutWire, toPreviewWire } from "#lib/features/billing/serializers.ts";
import { cancelSubscription } from "#lib/features/billing/subscriptions.ts";
import { findBalance } from "#lib/features/credits/queries.ts";
import { sandboxPrices } from "#scripts/catalog.ts";
import { CARDS } from "#tests/support/paddle.ts";
import { type Payer, subscriptionHarness } from "./subscription-harness.ts";

const { paddle, sync, payer, subscriber, wait, wireOf, paidOf } = subscriptionHarness();

const PATCH = "PATCH /subscriptions/:id";
const change = async ({ ctx }: Payer, plan: PaidPlanSlug) =>
  toChangedWire(await changePlan(ctx, { plan })).subscription;
const preview = async ({ ctx }: Payer, plan: PaidPlanSlug) => toPreviewWire(await previewChange(ctx, { plan })).preview;
const allowanceOf = async ({ ctx, userId }: Payer) => (await findBalance(ctx, userId))?.allowance;
const upgradesOf = (someone: Payer) => paidOf(someone, "subscription_update");
const refusedWith = (message: string) => ({ code: "wrong_state", message });

describe("A-96 a larger plan", () => {
  test("costs what was previewed, takes effect now, and grants the missing credits", async () => {
    const someone = await subscriber();
    await wait(10 * DAY_MS);
    const previewed = await preview(someone, "growth");
    expect(previewed).toMatchObject({ currency: "USD", next_total: 49, takes_effect: "now" });
    expect(previewed?.credits_now).toBe(400);
    expect(previewed?.due_now).toBeGreaterThan(0);
    expect(previewed?.due_now).toBeLessThan(20);
    await sync();
    expect(await wireOf(someone)).toMatchObject({ plan: { slug: "basic" }, next_plan: null });

    const changed = await change(someone, "growth");
    // The user is charged now; the payment's event changes the plan.
    expect(changed).toMatchObject({ confirmation: "pending", plan: { slug: "basic" }, next_plan: null });
    await sync();
    expect(await wireOf(someone)).toMatchObject({ status: "active", plan: { slug: "growth" }, next_plan: null });
    // Two thirds of the period are left, and so many of the 600 credits between the plans are added.
    expect(await allowanceOf(someone)).toBe(400 + 400);
    expect(await upgradesOf(someone)).toMatchObject([{ totalMinor: Math.round((previewed?.due_now ?? 0) * 100) }]);
  });

  test("just before the renewal it grants as little as it costs", async () => {
    const someone = await subscriber();
    const [row] = await someone.ctx.db.select().from(subscriptions).where(eq(subscriptions.userId, someone.userId));
    const [from, to] = [row?.periodStartsAt?.getTime() ?? 0, row?.periodEndsAt?.getTime() ?? 0];
    await wait(to - from - 10 * HOUR_MS);
    const previewed = await preview(someone, "pro");
    expect(previewed?.due_now).toBeLessThan(5);
    expect(previewed?.credits_now).toBeLessThanOrEqual(Math.ceil((2_100 * 10 * HOUR_MS) / (to - from)));
    await change(someone, "pro");
    await sync();
    expect(await allowanceOf(someone)).toBe(400 + (previewed?.credits_now ?? 0));
  });

  test("requested again before and after its event, it is charged once", async () => {
    const someone = await subscriber();
    await change(someone, "growth");
    expect(await change(someone, "growth")).toMatchObject({ confirmation: "pending" });
    await sync();
    expect(await change(someone, "growth")).toMatchObject({ confirmation: "completed", plan: { slug: "growth" } });
    await sync();
    expect(await upgradesOf(someone)).toHaveLength(1);
  });

  test("requested many times at once, it is charged once and the others are told that a change is in progress", async () => {
    const someone = await subscriber();
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => change(someone, "pro")));
    const refused = all.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(refused.length).toBeLessThan(8);
    for (const reason of refused) expect(reason).toMatchObject(refusedWith(SETTINGS_TEXTS.changeInProgress));
    await sync();
    expect(await wireOf(someone)).toMatchObject({ plan: { slug: "pro" } });
    expect(await upgradesOf(someone)).toHaveLength(1);
  });

  test("a process that died during a change does not lock others out for good", async () => {
    const someone = await subscriber();
    const { db } = someone.ctx;
    const until = new Date(someone.ctx.now().getTime() + CHANGE_LEASE_MS);
    await db.update(subscriptions).set({ changingUntil: until }).where(eq(subscriptions.id, someone.id));
    await expect(change(someone, "growth")).rejects.toMatchObject(refusedWith(SETTINGS_TEXTS.changeInProgress));
    await wait(CHANGE_LEASE_MS + 1_000);
    expect(await change(someone, "growth")).toMatchObject({ confirmation: "pending" });
    const [row] = await db.select().from(subscriptions).where(eq(subscriptions.id, someone.id));
    expect(row?.changingUntil).toBeNull();
  });

  test("A-96 a declined card changes nothing, and the text says so", async () => {
    const someone = await subscriber("basic", CARDS.declinedLater);
    const before = await wireOf(someone);
    await expect(change(someone, "growth")).rejects.toMatchObject({
      code: "refused",
      message: SETTINGS_TEXTS.changeDeclined,
    });
    await sync();
    expect(await wireOf(someone)).toEqual(before);
    expect(await allowanceOf(someone)).toBe(400);
    expect(await upgradesOf(someone)).toEqual([]);
  });

  test.each(["change-reply-lost", "change-server-error"])("%s: read back, it counts as done", async (scenario) => {
    const someone = await subscriber();
    await paddle().addFault({ scenario, match: PATCH, times: 1 });
    expect(await change(someone, "growth")).toMatchObject({ confirmation: "pending" });
    await sync();
    expect(await wireOf(someone)).toMatchObject({ plan: { slug: "growth" } });
    expect(await upgradesOf(someone)).toHaveLength(1);
  });

  test("not done: the plan is unchanged, and another request is charged once", async () => {
    const someone = await subscriber();
    await paddle().addFault({ scenario: "unavailable", match: PATCH, times: 1 });
    await expect(change(someone, "growth")).rejects.toMatchObject({
      code: "provider_unavailable",
      message: SETTINGS_TEXTS.unknownOutcome,
    });
    await sync();
    expect(await wireOf(someone)).toMatchObject({ plan: { slug: "basic" }, next_plan: null });
    await change(someone, "growth");
    await sync();
    expect(await upgradesOf(someone)).toHaveLength(1);
  });
});

test("R-SUB-05 A-24 the extra credit price follows the plan, up immediately and down at the renewal", async () => {
  const someone = await subscriber();
  const priceNow = async () => {
    const { plan } = await wireOf(someone);
    const { price_id } = toCheckoutWire(await startCheckout(someone.ctx, { kind: "pack", credits: 100 }));
    return [plan.slug, plan.features.extra_credit_price, price_id];
  };
  const priceId = (plan: string) => sandboxPrices()[`pack:${plan}:100`];
  expect(await priceNow()).toEqual(["basic", 0.05, priceId("basic")]);
  await change(someone, "pro");
  await sync();
  expect(await priceNow()).toEqual(["pro", 0.04, priceId("pro")]);
  await change(someone, "growth");
  await sync();
  expect(await priceNow()).toEqual(["pro", 0.04, priceId("pro")]);
  await wait(32 * DAY_MS);
  await sync();
  expect(await priceNow()).toEqual(["growth", 0.045, priceId("growth")]);
});

describe("A-96 a smaller plan", () => {
  test("waits for the renewal without a charge, and can be undone", async () => {
    const someone = await subscriber("growth");
    expect(await preview(someone, "basic")).toMatchObject({ due_now: 0, next_total: 29, takes_effect: "renewal" });
    const waits = { confirmation: "completed", plan: { slug: "growth" }, next_plan: "basic" };
    expect(await change(someone, "basic")).toMatchObject(waits);
    expect(await change(someone, "basic")).toMatchObject(waits);
    expect(await change(someone, "growth")).toMatchObject({ plan: { slug: "growth" }, next_plan: null });
    await sync();
    expect(await wireOf(someone)).toMatchObject({ plan: { slug: "growth" }, next_plan: null });
    expect(await upgradesOf(someone)).toEqual([]);
  });

  test("takes effect at the renewal with its own credits", async () => {
    const someone = await subscriber("growth");
    await change(someone, "basic");
    await wait(32 * DAY_MS);
    await sync();
    expect(await wireOf(someone)).toMatchObject({ status: "active", plan: { slug: "basic" }, next_plan: null });
    expect(await allowanceOf(someone)).toBe(400);
    expect(await paidOf(someone, "subscription_recurring")).toMatchObject([{ totalMinor: 2900, plan: "basic" }]);
  });

  test("a larger plan after that is charged from the paid one, as previewed", async () => {
    const someone = await subscriber("growth");
    await change(someone, "basic");
    const previewed = await preview(someone, "pro");
    expect(previewed).toMatchObject({ takes_effect: "now", next_total: 79 });
    // From 49 to 79, not from 29.
    expect(previewed?.due_now).toBeLessThanOrEqual(30);
    await change(someone, "pro");
    await sync();
    expect(await wireOf(someone)).toMatchObject({ plan: { slug: "pro" }, next_plan: null });
    expect(await upgradesOf(someone)).toMatchObject([{ totalMinor: Math.round((previewed?.due_now ?? 0) * 100) }]);
  });

  test("the smaller plan still waits after that upgrade is declined", async () => {
    const someone = await subscriber("growth", CARDS.declinedLater);
    await change(someone, "basic");
    await expect(change(someone, "pro")).rejects.toMatchObject({ message: SETTINGS_TEXTS.changeDeclined });
    await sync();
    expect(await wireOf(someone)).toMatchObject({ plan: { slug: "growth" }, next_plan: "basic" });
  });
});

test("A-96 refuses changes between a renewal to a smaller plan and the report of its payment, then charges the full difference", async () => {
  const someone = await subscriber("growth");
  await change(someone, "basic");
  await sync();
  await wait(31 * DAY_MS);
  // The first request refreshes the subscription; the others see the result.
  await expect(change(someone, "pro")).rejects.toMatchObject(refusedWith(SETTINGS_TEXTS.changeAtRenewal));
  await expect(preview(someone, "pro")).rejects.toMatchObject(refusedWith(SETTINGS_TEXTS.changeAtRenewal));
  await expect(change(someone, "pro")).rejects.toMatchObject(refusedWith(SETTINGS_TEXTS.changeAtRenewal));
  await sync();
  expect(await wireOf(someone)).toMatchObject({ plan: { slug: "basic" }, next_plan: null });
  await change(someone, "pro");
  await sync();
  expect(await wireOf(someone)).toMatchObject({ plan: { slug: "pro" }, next_plan: null });
  const [charged, ...more] = await upgradesOf(someone);
  expect(more).toEqual([]);
  // Part of the 50 dollars between the two plans, not of the 30 between the larger ones.
  expect(charged?.totalMinor).toBeGreaterThan(4_000);
});

describe("refusals have a reason", () => {
  test("without a plan, with one that is ending, and with one that is past due", async () => {
    const free = await payer();
    await expect(change(free, "basic")).rejects.toMatchObject(refusedWith(SETTINGS_TEXTS.nothingToChange));
    await expect(preview(free, "basic")).rejects.toMatchObject(refusedWith(SETTINGS_TEXTS.nothingToChange));
    const leaving = await subscriber();
    await cancelSubscription(leaving.ctx);
    await expect(change(leaving, "growth")).rejects.toMatchObject(refusedWith(SETTINGS_TEXTS.changeCanceling));
    const owing = await subscriber("basic", CARDS.declinedLater);
    await wait(31 * DAY_MS);
    await sync();
    await expect(change(owing, "growth")).rejects.toMatchObject(refusedWith(SETTINGS_TEXTS.changePastDue));
  });

  test("a preview of the current or scheduled plan", async () => {
    const someone = await subscriber("growth");
    await expect(preview(someone, "growth")).rejects.toMatchObject(refusedWith(SETTINGS_TEXTS.alreadyOnPlan));
    await change(someone, "basic");
    await expect(preview(someone, "basic")).rejects.toMatchObject(refusedWith(SETTINGS_TEXTS.alreadyScheduled));
  });

  test("canceled at the provider without an event yet: the subscription is read first", async () => {
    const someone = await subscriber();
    await someone.ctx.payments.cancelSubscription(someone.id, "period_end");
    await expect(change(someone, "growth")).rejects.toMatchObject(refusedWith(SETTINGS_TEXTS.changeCanceling));
    expect(await wireOf(someone)).toMatchObject({ status: "active (canceling)" });
  });
});
