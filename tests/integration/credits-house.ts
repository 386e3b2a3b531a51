import { afterAll, beforeAll, expect } from "vitest";
import { type FullCtx, inTransaction } from "#lib/context.ts";
import { createId, type UserId } from "#lib/core/ids.ts";
import type { PlanSlug } from "#lib/features/billing/plans.ts";
import { type Opened, openPaidPeriod } from "#lib/features/credits/allowance.ts";
import { type GrantKey, grantPurchase, revokeGrant } from "#lib/features/credits/grants.ts";
import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { findBalance } from "#lib/features/credits/queries.ts";
import { reserveCredits, settleReservation } from "#lib/features/credits/reservations.ts";
import { setPlan } from "#lib/features/identity/users.ts";
import { contextOf, createTestHouse, createUser, type TestHouse } from "#tests/support/context.ts";
import { databaseForFile } from "#tests/support/database.ts";

/** A month, and the two after it; a file's clock begins in the first. */
export const october = new Date("2026-10-20T09:30:00Z");
export const november = new Date("2026-11-20T09:30:00Z");
export const december = new Date("2026-12-20T09:30:00Z");

/** A house of its own for the calling file, in October; when the file ends, its ledger must be sound. */
export const creditsHouse = (): (() => TestHouse) => {
  const database = databaseForFile();
  let house: TestHouse | undefined;
  const open = () => {
    if (!house) throw new Error("The house exists from beforeAll on.");
    return house;
  };
  beforeAll(async () => {
    house = createTestHouse({ databaseUrl: database().url, storageDir: "/nonexistent" });
    await house.moveClock(october.getTime() - Date.now());
  });
  afterAll(async () => {
    expect((await checkLedger(contextOf(open(), { kind: "job", name: "check" }))).faults).toEqual([]);
    await open().close();
  });
  return open;
};

/** Does something at a moment; then it is October again. */
export const at = <R>(house: TestHouse, moment: Date, work: () => Promise<R>): Promise<R> =>
  house.later(moment.getTime() - house.now().getTime(), work);

let serial = 0;
/** An id as the payment provider gives them. */
export const newName = (prefix: string): string => {
  serial += 1;
  return `${prefix}_${serial}`;
};

/** A user with the subscription that they may have. */
export interface Person {
  ctx: FullCtx;
  userId: UserId;
  email: string;
  subscriptionId: string;
}

export const createPerson = async (house: TestHouse): Promise<Person> => ({
  ...(await createUser(house)),
  subscriptionId: newName("sub"),
});

/** What billing does for a paid period: the plan first, then its credits. */
export const pay = (
  person: Person,
  period: { startsAt: Date; credits: number; plan?: PlanSlug; planEndsAt?: Date },
): Promise<Opened> =>
  inTransaction(person.ctx, async (tx) => {
    const { userId, subscriptionId } = person;
    const { startsAt, credits, plan = "basic", planEndsAt = null } = period;
    await setPlan(tx, { userId, plan, planEndsAt });
    const note = "Monthly credits of the Basic plan";
    return openPaidPeriod(tx, { userId, subscriptionId, startsAt, credits, note, mayReturn: true });
  });

/** Allowance, purchased, held. */
export const buckets = async ({ ctx, userId }: Person) => {
  const row = await findBalance(ctx, userId);
  return row && [row.allowance, row.purchased, row.held];
};

/** Reserves credits for one piece of work. @returns its reference. */
export const hold = async ({ ctx, userId }: Person, costCredits: number): Promise<string> => {
  const reference = createId("task", new Date());
  const { reserved } = await reserveCredits(ctx, { userId, lots: [{ reference, costCredits }] });
  expect(reserved).toBe(1);
  return reference;
};

export const spend = async (person: Person, costCredits: number) =>
  settleReservation(person.ctx, { reference: await hold(person, costCredits), outcome: "spend" });

/** Buys a pack. @returns what names it in a refund. */
export const buy = async ({ ctx, userId }: Person, credits: number) => {
  const transactionId = newName("txn");
  await grantPurchase(ctx, { userId, transactionId, credits, note: "" });
  return { kind: "pack", transactionId } as const;
};

export const revoke = ({ ctx, userId }: Person, of: GrantKey, credits: number, adjustmentId = newName("adj")) =>
  revokeGrant(ctx, { userId, adjustmentId, of, credits, note: "" });
