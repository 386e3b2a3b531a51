import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { subscriptions } from "#db/schema/billing.ts";
import { DAY_MS } from "#lib/core/time.ts";
import { startCheckout } from "#lib/features/billing/checkout.ts";
import { CHANGE_LEASE_MS, SETTINGS_TEXTS } from "#lib/features/billing/constants.ts";
import { changePlan, previewChange } from "#lib/features/billing/plan-changes.ts";
import type { PaidPlanSlug } from "#lib/features/billing/plans.ts";
import { toChangedWire, toCheckoutWire, toPreviewWire } from "#lib/features/billing/serializers.ts";
import { cancelSubscription } from "#lib/features/billing/subscriptions.ts";
import { findBalance } from "#lib/features/credits/queries.ts";
import { playedPrices } from "#scripts/catalogue.ts";
import { CARDS } from "#tests/support/paddle.ts";
import { type Payer, subscriptionWorld } from "./subscription-house.ts";

const { paddle, sync, payer, subscriber, wait, wireOf, paidOf } = subscriptionWorld();

const PATCH = "PATCH /subscriptions/:id";
const change = async ({ ctx }: Payer, plan: PaidPlanSlug) =>
  toChangedWire(await changePlan(ctx, { plan })).subscription;
const preview = async ({ ctx }: Payer, plan: PaidPlanSlug) => toPreviewWire(await previewChange(ctx, { plan })).preview;
const allowanceOf = async ({ ctx, userId }: Payer) => (await findBalance(ctx, userId))?.allowance;
const upgradesOf = (someone: Payer) => paidOf(someone, "subscription_update");
const refusedWith = (message: string) => ({ code: "wrong_state", message });

describe("A-96 a larger plan", () => {
  test("costs what was previewed, holds at once, and gives the credits that are missing", async () => {
    const someone = await subscriber();
    await wait(10 * DAY_MS);
    const told = await preview(someone, "growth");
    expect(told).toMatchObject({ currency: "USD", next_total: 49, takes_effect: "now" });
    expect(told?.due_now).toBeGreaterThan(0);
    expect(told?.due_now).toBeLessThan(20);
    await sync();
    expect(await wireOf(someone)).toMatchObject({ plan: { slug: "basic" }, next_plan: null });

    const changed = await change(someone, "growth");
    // Charged; the plan comes with the event of the payment.
    expect(changed).toMatchObject({ confirmation: "pending", plan: { slug: "basic" }, next_plan: null });
    await sync();
    expect(await wireOf(someone)).toMatchObject({ status: "active", plan: { slug: "growth" }, next_plan: null });
    expect(await allowanceOf(someone)).toBe(1000);
    expect(await upgradesOf(someone)).toMatchObject([{ totalMinor: Math.round((told?.due_now ?? 0) * 100) }]);
  });

  test("asked for again, before and after its event, it is charged once", async () => {
    const someone = await subscriber();
    await change(someone, "growth");
    expect(await change(someone, "growth")).toMatchObject({ confirmation: "pending" });
    await sync();
    expect(await change(someone, "growth")).toMatchObject({ confirmation: "completed", plan: { slug: "growth" } });
    await sync();
    expect(await upgradesOf(someone)).toHaveLength(1);
  });

  test("asked for many times at once it is charged once: the others hear that one is under way", async () => {
    const someone = await subscriber();
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => change(someone, "pro")));
    const refused = all.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(refused.length).toBeLessThan(8);
    for (const reason of refused) expect(reason).toMatchObject(refusedWith(SETTINGS_TEXTS.changeUnderWay));
    await sync();
    expect(await wireOf(someone)).toMatchObject({ plan: { slug: "pro" } });
    expect(await upgradesOf(someone)).toHaveLength(1);
  });

  test("a process that died while it changed a plan keeps nobody out for good", async () => {
    const someone = await subscriber();
    const { db } = someone.ctx;
    const until = new Date(someone.ctx.now().getTime() + CHANGE_LEASE_MS);
    await db.update(subscriptions).set({ changingUntil: until }).where(eq(subscriptions.id, someone.id));
    await expect(change(someone, "growth")).rejects.toMatchObject(refusedWith(SETTINGS_TEXTS.changeUnderWay));
    await wait(CHANGE_LEASE_MS + 1_000);
    expect(await change(someone, "growth")).toMatchObject({ confirmation: "pending" });
    const [row] = await db.select().from(subscriptions).where(eq(subscriptions.id, someone.id));
    expect(row?.changingUntil).toBeNull();
  });

  test("A-96 a declined card leaves all as it was, and the sentence says so", async () => {
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
    await paddle().strike({ scenario, match: PATCH, times: 1 });
    expect(await change(someone, "growth")).toMatchObject({ confirmation: "pending" });
    await sync();
    expect(await wireOf(someone)).toMatchObject({ plan: { slug: "growth" } });
    expect(await upgradesOf(someone)).toHaveLength(1);
  });

  test("not done: the plan is as it was, and asking again is charged once", async () => {
    const someone = await subscriber();
    await paddle().strike({ scenario: "unavailable", match: PATCH, times: 1 });
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

test("R-SUB-05 A-24 what one more credit costs follows the plan, up at once and down with the renewal", async () => {
  const someone = await subscriber();
  const priceNow = async () => {
    const { plan } = await wireOf(someone);
    const { price_id } = toCheckoutWire(await startCheckout(someone.ctx, { kind: "pack", credits: 100 }));
    return [plan.slug, plan.features.extra_credit_price, price_id];
  };
  const priceId = (plan: string) => playedPrices()[`pack:${plan}:100`];
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
  test("waits for the renewal, nothing is charged, and it can be taken back", async () => {
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

  test("holds from the renewal on, with its own credits", async () => {
    const someone = await subscriber("growth");
    await change(someone, "basic");
    await wait(32 * DAY_MS);
    await sync();
    expect(await wireOf(someone)).toMatchObject({ status: "active", plan: { slug: "basic" }, next_plan: null });
    expect(await allowanceOf(someone)).toBe(400);
    expect(await paidOf(someone, "subscription_recurring")).toMatchObject([{ totalMinor: 2900, plan: "basic" }]);
  });

  test("then a larger one than the paid one: charged from the paid one, as previewed", async () => {
    const someone = await subscriber("growth");
    await change(someone, "basic");
    const told = await preview(someone, "pro");
    expect(told).toMatchObject({ takes_effect: "now", next_total: 79 });
    // From 49 to 79, not from 29.
    expect(told?.due_now).toBeLessThanOrEqual(30);
    await change(someone, "pro");
    await sync();
    expect(await wireOf(someone)).toMatchObject({ plan: { slug: "pro" }, next_plan: null });
    expect(await upgradesOf(someone)).toMatchObject([{ totalMinor: Math.round((told?.due_now ?? 0) * 100) }]);
  });

  test("and when that one is declined, the smaller one still waits", async () => {
    const someone = await subscriber("growth", CARDS.declinedLater);
    await change(someone, "basic");
    await expect(change(someone, "pro")).rejects.toMatchObject({ message: SETTINGS_TEXTS.changeDeclined });
    await sync();
    expect(await wireOf(someone)).toMatchObject({ plan: { slug: "growth" }, next_plan: "basic" });
  });
});

test("A-96 between a renewal at a smaller plan and the news of its payment nothing is changed; then all of it is charged", async () => {
  const someone = await subscriber("growth");
  await change(someone, "basic");
  await sync();
  await wait(31 * DAY_MS);
  // The first reads the subscription anew; the others know it from then on.
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
  // Of the 50 dollars between the two plans, not of the 30 between the larger ones.
  expect(charged?.totalMinor).toBeGreaterThan(4_000);
});

describe("what cannot be changed says why", () => {
  test("no plan, one that is to end, one that is past due", async () => {
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

  test("a preview of what is so already", async () => {
    const someone = await subscriber("growth");
    await expect(preview(someone, "growth")).rejects.toMatchObject(refusedWith(SETTINGS_TEXTS.changeNeedless));
    await change(someone, "basic");
    await expect(preview(someone, "basic")).rejects.toMatchObject(refusedWith(SETTINGS_TEXTS.changeScheduled));
  });

  test("cancelled at the provider, and we have not heard of it: it is read before anything is changed", async () => {
    const someone = await subscriber();
    await someone.ctx.payments.cancelSubscription(someone.id, "period_end");
    await expect(change(someone, "growth")).rejects.toMatchObject(refusedWith(SETTINGS_TEXTS.changeCanceling));
    expect(await wireOf(someone)).toMatchObject({ status: "active (canceling)" });
  });
});
