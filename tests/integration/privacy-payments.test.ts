import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { paymentCustomers, paymentEvents, payments, purchases, subscriptions } from "#db/schema/billing.ts";
import { erasures } from "#db/schema/privacy.ts";
import type { UserId } from "#lib/core/ids.ts";
import { DAY_MS } from "#lib/core/time.ts";
import { startCheckout } from "#lib/features/billing/checkout.ts";
import { listPayments } from "#lib/features/billing/payment-history.ts";
import { purgePaymentCustomers } from "#lib/features/billing/subscriptions.ts";
import { deleteUser, eraseUser } from "#lib/features/privacy/erasure.ts";
import { exportData } from "#lib/features/privacy/export.ts";
import { SETTLE_MS } from "#lib/features/privacy/schema.ts";
import { withFreshLogin } from "#tests/support/context.ts";
import { tablesWith } from "./privacy-harness.ts";
import { type Payer, subscriptionHarness } from "./subscription-harness.ts";

const { paddle, sync, job, payer, subscriber, wait } = subscriptionHarness();

const leave = async ({ ctx }: Payer) => deleteUser(await withFreshLogin(ctx));
const erase = ({ userId }: { userId: UserId }) => eraseUser(job(), { userId });

/** The subscription as stored by the provider. */
const statusAtProvider = async (id: string): Promise<string> => {
  const answer = await job().payments.getSubscription(id);
  return answer.kind === "ok" ? answer.value.status : answer.problem.kind;
};

const paymentsOf = (userId: UserId) => job().db.select().from(payments).where(eq(payments.userId, userId));

/** Stores the stand-in's events as the webhook endpoint does, so that there is something to delete. */
const storeEvents = async (): Promise<void> => {
  const answer = await job().payments.listEvents(null);
  if (answer.kind === "problem") throw new Error(answer.problem.text);
  const now = job().now();
  const rows = answer.value.map(({ eventId, eventType, occurredAt, fact }) => {
    const stored = { eventId, eventType, occurredAt, fact, source: "webhook" as const };
    return { ...stored, receivedAt: now, appliedAt: now, wakeAt: now };
  });
  await job().db.insert(paymentEvents).values(rows).onConflictDoNothing();
};

describe("deleting an account with a live plan", () => {
  test("ends the plan at the provider immediately; repeating changes nothing", async () => {
    const someone = await subscriber();
    await leave(someone);
    expect(await statusAtProvider(someone.id)).toBe("active");
    expect(await erase(someone)).toMatchObject({ kind: "wait" });
    expect(await statusAtProvider(someone.id)).toBe("canceled");
    expect(await erase(someone)).toMatchObject({ kind: "wait" });
    await wait(40 * DAY_MS);
    await sync();
    expect(await paymentsOf(someone.userId)).toHaveLength(1);
  });

  test("payments stay without personal data: no customer, no card, no event contents", async () => {
    const someone = await subscriber();
    await startCheckout(someone.ctx, { kind: "pack", credits: 100 });
    await paddle().buy(someone, "pack:basic:100");
    await sync();
    await storeEvents();
    const [{ customerId } = { customerId: null }] = await paymentsOf(someone.userId);
    expect(customerId).toMatch(/^ctm_/);
    await leave(someone);
    await erase(someone);
    await wait(SETTLE_MS + 1_000);
    expect(await erase(someone)).toEqual({ kind: "done" });

    expect(await tablesWith(job(), customerId ?? "")).toEqual([]);
    // The account deletion email stays until a mail server accepts it.
    expect(await tablesWith(job(), someone.email)).toEqual(["email_outbox"]);
    const rows = await paymentsOf(someone.userId);
    expect(rows.map(({ totalMinor }) => totalMinor).toSorted((one, other) => one - other)).toEqual([500, 2900]);
    for (const row of rows) {
      expect(row).toMatchObject({ customerId: null, method: null, purchaseId: null, status: "completed" });
      expect(row.invoiceNumber).not.toBeNull();
    }
    const { db } = job();
    expect(await db.$count(purchases, eq(purchases.userId, someone.userId))).toBe(0);
    expect(await db.$count(paymentCustomers, eq(paymentCustomers.userId, someone.userId))).toBe(0);
    const event = await tablesWith(job(), someone.userId);
    expect(event).not.toContain("payment_events");
    expect(event).toContain("payments");
  });

  test("a provider that is down delays only the plan's end, which is retried until it is done", async () => {
    const someone = await subscriber();
    await paddle().addFault({ scenario: "cut", match: "* /subscriptions/:id*", forever: true });
    await leave(someone);
    await erase(someone);
    await wait(SETTLE_MS + 1_000);
    expect(await erase(someone)).toMatchObject({ kind: "wait" });
    const isOpen = async () => {
      const [row] = await job().db.select().from(erasures).where(eq(erasures.userId, someone.userId));
      return row?.finishedAt === null;
    };
    expect(await isOpen()).toBe(true);
    await paddle().clearFaults();
    expect(await statusAtProvider(someone.id)).toBe("active");
    await wait(SETTLE_MS + 1_000);
    expect(await erase(someone)).toEqual({ kind: "done" });
    expect(await statusAtProvider(someone.id)).toBe("canceled");
    expect(await isOpen()).toBe(false);
  });

  test("a checkout paid after the erasure: the nightly run ends that plan and removes the payer's data again", async () => {
    const someone = await payer();
    await leave(someone);
    await erase(someone);
    await wait(SETTLE_MS + 1_000);
    expect(await erase(someone)).toEqual({ kind: "done" });
    const { subscription_id, customer_id } = await paddle().buy(someone, "plan:basic");
    await sync();
    expect(await statusAtProvider(subscription_id ?? "")).toBe("active");
    expect(await purgePaymentCustomers(job())).toBeGreaterThanOrEqual(1);
    expect(await statusAtProvider(subscription_id ?? "")).toBe("canceled");
    expect(await tablesWith(job(), customer_id)).toEqual([]);
    const { db } = job();
    const [row] = await db.select().from(subscriptions).where(eq(subscriptions.userId, someone.userId));
    expect(row).toMatchObject({ status: "canceled", customerId: null });
  });

  test("other users lose nothing", async () => {
    const [someone, otherUser] = [await subscriber(), await subscriber()];
    const before = await listPayments(otherUser.ctx, {});
    await leave(someone);
    await erase(someone);
    await wait(SETTLE_MS + 1_000);
    await erase(someone);
    await purgePaymentCustomers(job());
    expect(await listPayments(otherUser.ctx, {})).toEqual(before);
    expect(await statusAtProvider(otherUser.id)).toBe("active");
  });
});

test("R-ROLE-04 the export contains plan, payments with refunds, and recorded purchases", async () => {
  const someone = await subscriber("growth");
  await startCheckout(someone.ctx, { kind: "pack", credits: 500 });
  const pack = await paddle().buy(someone, "pack:growth:300");
  await paddle().control("POST", "/chargebacks", { transaction_id: pack.id });
  await sync();
  const stranger = await subscriber();
  let text = "";
  for await (const piece of await exportData(someone.ctx)) text += piece;
  const all = JSON.parse(text);
  expect(all).toMatchObject({
    user: { plan: "growth", plan_ends_at: null },
    subscriptions: [{ id: someone.id, plan: "growth", status: "active" }],
    purchases_begun: [{ kind: "pack", plan: "growth", credits: 500 }],
  });
  const byAmount = all.payments.toSorted(
    (one: { amount: number }, other: { amount: number }) => other.amount - one.amount,
  );
  expect(byAmount).toMatchObject([
    { kind: "plan", plan: "growth", amount: 49, currency: "USD", payment_method: "Visa ending in 4242", refunds: [] },
    { kind: "pack", credits: 300, amount: 13.5, refunds: [{ action: "chargeback", amount: 13.5 }] },
  ]);
  expect(text).not.toContain(stranger.id);
});
