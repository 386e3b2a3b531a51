import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect } from "vitest";
import { paymentEvents, payments, purchases, subscriptions } from "#db/schema/billing.ts";
import { letters } from "#db/schema/email.ts";
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
import { type Buyer, firstMonth, type News, providerId, webhookOf } from "#tests/support/billing.ts";
import { contextOf, createTestHouse, createUser, type TestHouse } from "#tests/support/context.ts";
import { createTestDatabase, type TestDatabase } from "#tests/support/database.ts";

interface BillingHouse {
  house(): TestHouse;
  database(): TestDatabase;
  /** The context of the door. */
  door(): FullCtx;
  buyer(): Promise<Buyer>;
  /** Many at once, who never log in: no password is hashed for them. */
  buyers(number: number): Promise<Buyer[]>;
  /** Records a purchase as the checkout does; returns its id. */
  record(
    buyer: Buyer,
    purchase: { kind: "plan" | "pack"; plan: "free" | "basic" | "growth" | "pro"; at?: Date },
  ): Promise<string>;
  /** Sends signed webhooks in this order and has them applied. */
  tell(...news: News[]): Promise<void>;
  /** Credits that can be spent (allowance, purchased), with the present period's allowance. */
  credits(buyer: Buyer): Promise<[allowance: number, purchased: number]>;
  plan(buyer: Buyer): Promise<string>;
  paymentOf(news: News): Promise<typeof payments.$inferSelect | undefined>;
  termRow(id: string): Promise<typeof subscriptions.$inferSelect | undefined>;
  eventsOpen(): Promise<number>;
  /** How many mails support got about a payment. */
  reportsOf(news: News): Promise<number>;
  /** The first month of a subscription that began some days ago. */
  month(buyer: Buyer, key: string, daysAgo?: number): ReturnType<typeof firstMonth>;
}

/** A house of the calling file's own, whose ledger is checked when all its tests are done. */
export const billingHouse = (options: { paddleUrl?: () => string } = {}): BillingHouse => {
  let house: TestHouse;
  let database: TestDatabase;
  let door: FullCtx;
  beforeAll(async () => {
    database = await createTestDatabase();
    const paddleUrl = options.paddleUrl?.();
    const storageDir = join(tmpdir(), `billing-${process.pid}`);
    house = createTestHouse({ databaseUrl: database.url, storageDir, ...(paddleUrl && { paddleUrl }) });
    door = contextOf(house, { kind: "webhook", source: "paddle" });
  });
  afterAll(async () => {
    const { faults } = await checkLedger(door);
    await house.close();
    await database.close();
    expect(faults).toEqual([]);
  });
  return {
    house: () => house,
    database: () => database,
    door: () => door,
    buyer: async () => {
      const user = await createUser(house);
      return { ...user, customerId: providerId("ctm"), hints: { user_id: user.userId } };
    },
    buyers: async (number) => {
      const made = Array.from({ length: number }, () => {
        const userId = createId("user", house.now());
        const ctx = contextOf(house, { kind: "user", userId, loginId: createId("login", house.now()), address: "" });
        return {
          ctx,
          userId,
          email: `${userId}@example.com`,
          customerId: providerId("ctm"),
          hints: { user_id: userId },
        };
      });
      const rows = made.map(({ userId: id, email }) => {
        const keys = { emailKey: email, username: id, usernameKey: id, passwordHash: "none", createdAt: house.now() };
        return { id, email, firstName: "Many", lastName: "Buyers", ...keys };
      });
      await database.db.insert(users).values(rows);
      return made;
    },
    record: async (buyer, { kind, plan, at = house.now() }) => {
      const id = createId("purchase", at);
      const row = { id, userId: buyer.userId, kind, plan, credits: null, priceId: "any", createdAt: at };
      await database.db.insert(purchases).values(row);
      return id;
    },
    tell: async (...news) => {
      for (const one of news) await receiveEvent(door, webhookOf(one));
      const { failed } = await applyEvent(door, { eventId: "" });
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
      (await database.db.select().from(letters)).filter(({ content }) => Object(content).subject === data.id).length,
    month: (buyer, key, daysAgo = 5) => firstMonth(buyer, key, addMs(house.now(), -daysAgo * DAY_MS)),
  };
};
