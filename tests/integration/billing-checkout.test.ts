import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { purchases, subscriptions } from "#db/schema/billing.ts";
import { users } from "#db/schema/identity.ts";
import type { FullCtx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { isId } from "#lib/core/ids.ts";
import { addMs, DAY_MS, HOUR_MS } from "#lib/core/time.ts";
import { startCheckout } from "#lib/features/billing/checkout.ts";
import { CHECKOUT_TEXTS } from "#lib/features/billing/constants.ts";
import { PACK_CREDITS, PAID_PLANS, type PlanSlug, packKey, planKey } from "#lib/features/billing/plans.ts";
import { toCheckoutWire } from "#lib/features/billing/serializers.ts";
import { readBalance } from "#lib/features/credits/statement.ts";
import { setPlan } from "#lib/features/identity/users.ts";
import { sandboxPrices } from "#scripts/catalog.ts";
import { contextOf, createTestHarness, createUser, type TestHarness } from "#tests/support/context.ts";
import { databaseForFile } from "#tests/support/database.ts";

const database = databaseForFile();
const prices = sandboxPrices();
let harness: TestHarness;

beforeAll(() => {
  harness = createTestHarness({ databaseUrl: database().url, storageDir: "/nonexistent" });
});
afterAll(() => harness.close());

const person = async (plan: PlanSlug = "free", planEndsAt: Date | null = null): Promise<FullCtx> => {
  const { ctx, userId } = await createUser(harness);
  if (plan !== "free") await setPlan(ctx, { userId, plan, planEndsAt });
  return ctx;
};

const idOf = ({ actor }: FullCtx): UserId => {
  if (actor.kind !== "user") throw new Error("Nobody is logged in.");
  return actor.userId;
};
const purchasesOf = (ctx: FullCtx) =>
  ctx.db
    .select()
    .from(purchases)
    .where(eq(purchases.userId, idOf(ctx)));

const refusal = async (work: Promise<unknown>): Promise<[string, string]> => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error instanceof AppError ? [error.code, error.message] : ["none", ""];
};

type Row = typeof subscriptions.$inferInsert;

let count = 0;
const subscribe = async (ctx: FullCtx, more: Partial<Row>): Promise<void> => {
  count += 1;
  await ctx.db
    .insert(subscriptions)
    .values({ id: `sub_checkout_${count}`, userId: idOf(ctx), status: "active", asOf: ctx.now(), ...more });
};

test("R-PAY-01, R-BUY-18, A-23: records each of the 28 packs with the price id of the user's own plan", async () => {
  const seen = new Set<string>();
  for (const plan of ["free", "basic", "growth", "pro"] as const) {
    const ctx = await person(plan);
    const email = (
      await ctx.db
        .select()
        .from(users)
        .where(eq(users.id, idOf(ctx)))
    )[0]?.email;
    for (const credits of PACK_CREDITS) {
      const wire = toCheckoutWire(await startCheckout(ctx, { kind: "pack", credits }));
      expect(wire).toEqual({
        purchase_ref: expect.any(String),
        price_id: prices[packKey(plan, credits)],
        customer_email: email,
        custom_data: { credits, plan_type: plan, user_id: idOf(ctx), purchase_ref: wire.purchase_ref },
      });
      expect(isId("purchase", wire.purchase_ref)).toBe(true);
      seen.add(wire.price_id);
    }
    const rows = await purchasesOf(ctx);
    expect(rows.map(({ kind, plan: at, credits }) => [kind, at, credits])).toEqual(
      expect.arrayContaining(PACK_CREDITS.map((credits) => ["pack", plan, credits])),
    );
    expect(rows).toHaveLength(7);
  }
  expect(seen.size).toBe(28);
});

test("R-PRICE-12 records each paid plan with plan_id and user_id and grants nothing (R-PAY-03)", async () => {
  const ctx = await person();
  const before = await readBalance(ctx);
  for (const plan of PAID_PLANS) {
    const { price_id, custom_data, purchase_ref } = toCheckoutWire(await startCheckout(ctx, { kind: "plan", plan }));
    expect(price_id).toBe(prices[planKey(plan)]);
    expect(custom_data).toEqual({ plan_id: plan, user_id: idOf(ctx), purchase_ref });
  }
  expect(await readBalance(ctx)).toEqual(before);
  expect((await purchasesOf(ctx)).map(({ credits }) => credits)).toEqual([null, null, null]);
});

test("A-96 refuses a second plan while a paid one is live, but not a pack", async () => {
  const ctx = await person("basic");
  for (const plan of PAID_PLANS) {
    expect(await refusal(startCheckout(ctx, { kind: "plan", plan }))).toEqual(["wrong_state", CHECKOUT_TEXTS.hasPlan]);
  }
  expect(await purchasesOf(ctx)).toEqual([]);
  await expect(startCheckout(ctx, { kind: "pack", credits: 100 })).resolves.toMatchObject({ offer: { plan: "basic" } });
});

test("A-99 a paused or past due subscription counts as live even if the plan is free", async () => {
  const rests = await person();
  await subscribe(rests, { status: "paused" });
  const start = (ctx: FullCtx) => startCheckout(ctx, { kind: "plan", plan: "pro" });
  expect(await refusal(start(rests))).toEqual(["wrong_state", CHECKOUT_TEXTS.isPaused]);
  const owes = await person();
  await subscribe(owes, { status: "past_due" });
  expect(await refusal(start(owes))).toEqual(["wrong_state", CHECKOUT_TEXTS.hasPlan]);
});

test("R-SUB-06, A-95: after the end date a plan can be bought again before the provider reports the end", async () => {
  const now = harness.now();
  const ended = await person("growth", addMs(now, -HOUR_MS));
  await subscribe(ended, { scheduledAction: "cancel", scheduledAt: addMs(now, -HOUR_MS) });
  await subscribe(ended, { status: "canceled" });
  await subscribe(ended, { heldReason: "second subscription" });
  await expect(startCheckout(ended, { kind: "plan", plan: "basic" })).resolves.toMatchObject({
    offer: { kind: "plan", plan: "basic" },
  });
  await expect(startCheckout(ended, { kind: "pack", credits: 500 })).resolves.toMatchObject({
    offer: { plan: "free", amountTenthsOfCent: 30_000 },
  });
  const canceling = await person("growth", addMs(now, DAY_MS));
  await subscribe(canceling, { scheduledAction: "cancel", scheduledAt: addMs(now, DAY_MS) });
  expect((await refusal(startCheckout(canceling, { kind: "plan", plan: "basic" })))[0]).toBe("wrong_state");
});

test("R-BUY-14 reports a price without a configured id and records nothing", async () => {
  const ctx = await person();
  const { "pack:free:300": _, ...some } = ctx.settings.prices;
  const poor = { ...ctx, settings: { ...ctx.settings, prices: some } };
  expect(await refusal(startCheckout(poor, { kind: "pack", credits: 300 }))).toEqual([
    "not_found",
    "Price ID not found for this credit package and plan",
  ]);
  expect(await purchasesOf(ctx)).toEqual([]);
});

test("R-ROLE-06 buying requires a login", async () => {
  const visitor = contextOf(harness, { kind: "visitor", address: "192.0.2.1" });
  expect((await refusal(startCheckout(visitor, { kind: "pack", credits: 100 })))[0]).toBe("unauthenticated");
});
