import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect } from "vitest";
import { users } from "#db/schema/identity.ts";
import { type FullCtx, inTransaction } from "#lib/context.ts";
import { createId, type UserId } from "#lib/core/ids.ts";
import type { PlanSlug } from "#lib/features/billing/plans.ts";
import { openPaidPeriod, type PeriodResult } from "#lib/features/credits/allowance.ts";
import { type GrantKey, grantPurchase, revokeGrant } from "#lib/features/credits/grants.ts";
import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { findBalance } from "#lib/features/credits/queries.ts";
import { reserveCredits, settleReservation } from "#lib/features/credits/reservations.ts";
import { setPlan } from "#lib/features/identity/users.ts";
import { contextOf, createTestHarness, createUser, type TestHarness } from "#tests/support/context.ts";
import { databaseForFile } from "#tests/support/database.ts";

/** Three months; a file's clock starts in the first. */
export const october = new Date("2026-10-20T09:30:00Z");
export const november = new Date("2026-11-20T09:30:00Z");
export const december = new Date("2026-12-20T09:30:00Z");

/** A harness for the calling file, in October; its ledger is checked when the file ends. */
export const creditsHarness = (): (() => TestHarness) => {
  const database = databaseForFile();
  let harness: TestHarness | undefined;
  const open = () => {
    if (!harness) throw new Error("The harness exists only after beforeAll.");
    return harness;
  };
  beforeAll(async () => {
    harness = createTestHarness({ databaseUrl: database().url, storageDir: "/nonexistent" });
    await harness.moveClock(october.getTime() - Date.now());
  });
  afterAll(async () => {
    expect((await checkLedger(contextOf(open(), { kind: "job", name: "check" }))).faults).toEqual([]);
    await open().close();
  });
  return open;
};

/** Runs at a time, then returns to October. */
export const at = <R>(harness: TestHarness, moment: Date, work: () => Promise<R>): Promise<R> =>
  harness.later(moment.getTime() - harness.now().getTime(), work);

let serial = 0;
/** An id in the payment provider's format. */
export const newName = (prefix: string): string => {
  serial += 1;
  return `${prefix}_${serial}`;
};

/** A user with an optional subscription. */
export interface Person {
  ctx: FullCtx;
  userId: UserId;
  email: string;
  subscriptionId: string;
}

export const createPerson = async (harness: TestHarness): Promise<Person> => {
  const user = await createUser(harness);
  await confirmEmail(user);
  return { ...user, subscriptionId: newName("sub") };
};

/** As opening the link in the email does. */
export const confirmEmail = async ({ ctx, userId }: Pick<Person, "ctx" | "userId">): Promise<void> => {
  await ctx.db.update(users).set({ emailVerifiedAt: ctx.now() }).where(eq(users.id, userId));
};

/** What billing does for a paid period: the plan first, then its credits. */
export const pay = (
  person: Person,
  period: { startsAt: Date; credits: number; plan?: PlanSlug; planEndsAt?: Date },
): Promise<PeriodResult> =>
  inTransaction(person.ctx, async (tx) => {
    const { userId, subscriptionId } = person;
    const { startsAt, credits, plan = "basic", planEndsAt = null } = period;
    await setPlan(tx, { userId, plan, planEndsAt });
    const note = "Monthly credits: Basic plan";
    return openPaidPeriod(tx, { userId, subscriptionId, startsAt, credits, note, canRestore: true });
  });

/** Allowance, purchased, held. */
export const buckets = async ({ ctx, userId }: Person) => {
  const row = await findBalance(ctx, userId);
  return row && [row.allowance, row.purchased, row.held];
};

/** Reserves credits for one task. @returns its reference */
export const hold = async ({ ctx, userId }: Person, costCredits: number): Promise<string> => {
  const reference = createId("task", new Date());
  const { reserved } = await reserveCredits(ctx, { userId, lots: [{ reference, costCredits }] });
  expect(reserved).toBe(1);
  return reference;
};

export const spend = async (person: Person, costCredits: number) =>
  settleReservation(person.ctx, { reference: await hold(person, costCredits), outcome: "spend" });

/** Buys a pack. @returns the key of its grant */
export const buy = async ({ ctx, userId }: Person, credits: number) => {
  const transactionId = newName("txn");
  await grantPurchase(ctx, { userId, transactionId, credits, note: "" });
  return { kind: "pack", transactionId } as const;
};

export const revoke = ({ ctx, userId }: Person, of: GrantKey, credits: number, adjustmentId = newName("adj")) =>
  revokeGrant(ctx, { userId, adjustmentId, of, credits, note: "" });
