import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect } from "vitest";
import { paymentEvents, payments, purchases, subscriptions } from "#db/schema/billing.ts";
import { emailOutbox } from "#db/schema/email.ts";
import { users } from "#db/schema/identity.ts";
import type { FullCtx } from "#lib/context.ts";
import { createId } from "#lib/core/ids.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { applyEvent } from "#lib/features/billing/events.ts";
import { receiveEvent } from "#lib/features/billing/webhooks.ts";
import { ensureAllowance } from "#lib/features/credits/allowance.ts";
import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { findBalance } from "#lib/features/credits/queries.ts";
import { findPlan } from "#lib/features/identity/queries.ts";
import { type Buyer, firstMonth, type ProviderEvent, providerId, webhookOf } from "#tests/support/billing.ts";
import { contextOf, createTestHarness, createUser, type TestHarness } from "#tests/support/context.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";

interface BillingHarness {
  harness(): TestHarness;
  database(): TestDatabase;
  /** The context of the webhook endpoint. */
  webhookCtx(): FullCtx;
  buyer(): Promise<Buyer>;
  /** Creates many users who never log in, without hashing passwords. */
  buyers(number: number): Promise<Buyer[]>;
  /** Records a purchase as the checkout does; returns its id. */
  record(
    buyer: Buyer,
    purchase: { kind: "plan" | "pack"; plan: "free" | "basic" | "growth" | "pro"; at?: Date },
  ): Promise<string>;
  /** Sends signed webhooks in this order and applies them. */
  deliver(...providerEvents: ProviderEvent[]): Promise<void>;
  /** The spendable credits, including the current allowance. */
  credits(buyer: Buyer): Promise<[allowance: number, purchased: number]>;
  plan(buyer: Buyer): Promise<string>;
  paymentOf(providerEvent: ProviderEvent): Promise<typeof payments.$inferSelect | undefined>;
  termRow(id: string): Promise<typeof subscriptions.$inferSelect | undefined>;
  eventsOpen(): Promise<number>;
  /** How many emails support received about a payment. */
  reportsOf(providerEvent: ProviderEvent): Promise<number>;
  /** The first month of a subscription that started some days ago. */
  month(buyer: Buyer, key: string, daysAgo?: number): ReturnType<typeof firstMonth>;
}

/** A harness for the calling file; its ledger is checked after all tests. */
export const billingHarness = (options: { paddleUrl?: () => string } = {}): BillingHarness => {
  let harness: TestHarness;
  let database: TestDatabase;
  let webhookCtx: FullCtx;
  beforeAll(async () => {
    database = await createTestDatabase();
    const paddleUrl = options.paddleUrl?.();
    const storageDir = join(tmpdir(), `billing-${process.pid}`);
    harness = createTestHarness({ databaseUrl: database.url, storageDir, ...(paddleUrl && { paddleUrl }) });
    webhookCtx = contextOf(harness, { kind: "webhook", source: "paddle" });
  });
  afterAll(async () => {
    const { faults } = await checkLedger(webhookCtx);
    await harness.close();
    await database.close();
    expect(faults).toEqual([]);
  });
  return {
    harness: () => harness,
    database: () => database,
    webhookCtx: () => webhookCtx,
    buyer: async () => {
      const user = await createUser(harness);
      return { ...user, customerId: providerId("ctm"), hints: { user_id: user.userId } };
    },
    buyers: async (number) => {
      const made = Array.from({ length: number }, () => {
        const userId = createId("user", harness.now());
        const ctx = contextOf(harness, {
          kind: "user",
          userId,
          loginId: createId("login", harness.now()),
          address: "",
        });
        return {
          ctx,
          userId,
          email: `${userId}@example.com`,
          customerId: providerId("ctm"),
          hints: { user_id: userId },
        };
      });
      const rows = made.map(({ userId: id, email }) => {
        const keys = { emailKey: email, username: id, usernameKey: id, passwordHash: "none", createdAt: harness.now() };
        return { id, email, firstName: "Many", lastName: "Buyers", ...keys };
      });
      await database.db.insert(users).values(rows);
      return made;
    },
    record: async (buyer, { kind, plan, at = harness.now() }) => {
      const id = createId("purchase", at);
      const row = { id, userId: buyer.userId, kind, plan, credits: null, priceId: "any", createdAt: at };
      await database.db.insert(purchases).values(row);
      return id;
    },
    deliver: async (...providerEvents) => {
      for (const one of providerEvents) await receiveEvent(webhookCtx, webhookOf(one));
      const { failed } = await applyEvent(webhookCtx, { eventId: "" });
      expect(failed).toBe(0);
    },
    credits: async ({ ctx, userId }) => {
      await ensureAllowance(ctx, { userId });
      const balance = await findBalance(ctx, userId);
      return [balance?.allowance ?? 0, balance?.purchased ?? 0];
    },
    plan: ({ ctx, userId }) => findPlan(ctx, userId),
    paymentOf: async ({ data }) =>
      (
        await database.db
          .select()
          .from(payments)
          .where(eq(payments.id, String(data.id)))
      )[0],
    termRow: async (id) => (await database.db.select().from(subscriptions).where(eq(subscriptions.id, id)))[0],
    eventsOpen: async () =>
      (await database.db.select().from(paymentEvents)).filter(({ appliedAt }) => appliedAt === null).length,
    reportsOf: async ({ data }) =>
      (await database.db.select().from(emailOutbox)).filter(({ content }) => Object(content).subject === data.id)
        .length,
    month: (buyer, key, daysAgo = 5) => firstMonth(buyer, key, addMs(harness.now(), -daysAgo * DAY_MS)),
  };
};
