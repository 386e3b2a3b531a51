import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FullCtx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { createId, type UserId } from "#lib/core/ids.ts";
import { DAY_MS, MINUTE_MS, nextMonthStart } from "#lib/core/time.ts";
import { ensureAllowance } from "#lib/features/credits/allowance.ts";
import { grantCredits } from "#lib/features/credits/grants.ts";
import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { findBalance } from "#lib/features/credits/queries.ts";
import { reserveCredits, settleReservation } from "#lib/features/credits/reservations.ts";
import { readBalance, toCreditsWire } from "#lib/features/credits/statement.ts";
import { contextOf, createTestHarness, createUser, type TestHarness } from "#tests/support/context.ts";
import { databaseForFile } from "#tests/support/database.ts";

const november = new Date("2026-11-20T12:00:00Z");
const december = new Date("2026-12-01T00:00:00Z");

const database = databaseForFile();
let harness: TestHarness;

beforeAll(async () => {
  harness = createTestHarness({ databaseUrl: database().url, storageDir: "/nonexistent" });
  await harness.moveClock(november.getTime() - Date.now());
});
afterAll(async () => {
  expect((await checkLedger(contextOf(harness, { kind: "job", name: "check" }))).faults).toEqual([]);
  await harness.close();
});

/** Runs at a time, then returns to November. */
const on = <R>(moment: Date, work: () => Promise<R>): Promise<R> =>
  harness.later(moment.getTime() - harness.now().getTime(), work);

const newReference = () => createId("task", new Date());
const lotsOf = (count: number, costCredits: number) =>
  Array.from({ length: count }, () => ({ reference: newReference(), costCredits }));

const buckets = async (ctx: FullCtx, userId: UserId) => {
  const row = await findBalance(ctx, userId);
  return row && [row.allowance, row.purchased, row.held];
};

const causesOf = async (ctx: FullCtx, userId: UserId) => {
  const rows = await ctx.db.query.creditTransfers.findMany({ where: (row, { eq }) => eq(row.userId, userId) });
  return rows.map(({ kind, cause }) => [kind, cause]);
};

const codeOf = (thrown: unknown) => (thrown instanceof AppError ? thrown.code : thrown);

describe("the allowance", () => {
  test("R-CRED-01, A-26: five credits on first use, verified or not", async () => {
    const { ctx, userId } = await createUser(harness);
    expect(await findBalance(ctx, userId)).toBeNull();
    expect(toCreditsWire(await readBalance(ctx))).toEqual({ available_credits: 5 });
    expect(await buckets(ctx, userId)).toEqual([5, 0, 0]);
  });

  test("is granted once per period, even with many concurrent calls", async () => {
    const { ctx, userId } = await createUser(harness);
    await Promise.all(Array.from({ length: 12 }, () => ensureAllowance(ctx, { userId })));
    expect(await causesOf(ctx, userId)).toEqual([["allowance", `allowance:${userId}:2026-11`]]);
  });

  test("A-25: renews in a new month and does not carry over; purchased credits stay", async () => {
    const { ctx, userId } = await createUser(harness);
    await grantCredits(ctx, { userId, credits: 7, note: "test", cause: newReference() });
    await reserveCredits(ctx, { userId, lots: lotsOf(1, 2) });
    expect(await buckets(ctx, userId)).toEqual([3, 7, 2]);
    expect((await on(december, () => readBalance(ctx))).availableCredits).toBe(12);
    expect(await buckets(ctx, userId)).toEqual([5, 7, 2]);
    expect(await causesOf(ctx, userId)).toContainEqual(["expiry", `expiry:${userId}:2026-11>2026-12`]);
  });

  test("nothing happens before the month's end in UTC, and a slow clock starts nothing again", async () => {
    const { ctx, userId } = await createUser(harness);
    await ensureAllowance(ctx, { userId });
    await on(new Date(nextMonthStart(november).getTime() - MINUTE_MS), () => ensureAllowance(ctx, { userId }));
    // Decision 0007: a fast process clock does not start it either.
    harness.skewClock(40 * DAY_MS);
    await readBalance(ctx).finally(() => harness.skewClock(-40 * DAY_MS));
    expect(await causesOf(ctx, userId)).toHaveLength(1);
    await on(december, () => ensureAllowance(ctx, { userId }));
    await ensureAllowance(ctx, { userId });
    expect((await findBalance(ctx, userId))?.period).toBe("2026-12");
    expect(await causesOf(ctx, userId)).toHaveLength(3);
  });
});

describe("reserving", () => {
  test("R-SRV-02: as many as affordable, in their order; allowance first", async () => {
    const { ctx, userId } = await createUser(harness);
    await grantCredits(ctx, { userId, credits: 2, note: "test", cause: newReference() });
    const lots = lotsOf(5, 2);
    expect(await reserveCredits(ctx, { userId, lots })).toEqual({ reserved: 3, availableCredits: 1, emailIds: [] });
    expect(await buckets(ctx, userId)).toEqual([0, 1, 6]);
    const rows = await ctx.db.query.creditReservations.findMany({ where: (row, { eq }) => eq(row.userId, userId) });
    const splits = lots.map(({ reference }) => rows.find((row) => row.reference === reference));
    expect(splits.map((row) => row && [row.fromAllowance, row.fromPurchased])).toEqual([
      [2, 0],
      [2, 0],
      [1, 1],
      undefined,
      undefined,
    ]);
  });

  test("reserves nothing when nothing is affordable", async () => {
    const { ctx, userId } = await createUser(harness);
    await reserveCredits(ctx, { userId, lots: lotsOf(2, 2) });
    const { reserved, availableCredits } = await reserveCredits(ctx, { userId, lots: lotsOf(3, 2) });
    expect([reserved, availableCredits]).toEqual([0, 1]);
    expect(await buckets(ctx, userId)).toEqual([1, 0, 4]);
  });

  test("R-SRV-01: with concurrent reservations none spends what another holds", async () => {
    const { ctx, userId } = await createUser(harness);
    await grantCredits(ctx, { userId, credits: 20, note: "test", cause: newReference() });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => reserveCredits(ctx, { userId, lots: lotsOf(4, 1) })),
    );
    expect(answers.reduce((sum, { reserved }) => sum + reserved, 0)).toBe(25);
    expect(await buckets(ctx, userId)).toEqual([0, 0, 25]);
  });

  test("a reference is reserved once forever; a second start changes nothing", async () => {
    const { ctx, userId } = await createUser(harness);
    const [lot = { reference: "", costCredits: 1 }] = lotsOf(1, 1);
    await reserveCredits(ctx, { userId, lots: [lot] });
    await expect(reserveCredits(ctx, { userId, lots: [...lotsOf(1, 1), lot] })).rejects.toThrow();
    expect(await buckets(ctx, userId)).toEqual([4, 0, 1]);
  });

  test("a rolled back reservation is not reserved", async () => {
    const { ctx, userId } = await createUser(harness);
    const start = inTransaction(ctx, async (tx) => {
      await reserveCredits(tx, { userId, lots: lotsOf(2, 2) });
      throw new Error("the start fails after all");
    });
    await expect(start).rejects.toThrow("after all");
    expect(await findBalance(ctx, userId)).toBeNull();
  });
});

describe("settling", () => {
  const reserveOne = async (costCredits: number) => {
    const { ctx, userId } = await createUser(harness);
    const [lot = { reference: "", costCredits }] = lotsOf(1, costCredits);
    await reserveCredits(ctx, { userId, lots: [lot] });
    return { ctx, userId, reference: lot.reference };
  };

  test("R-SRV-01: spent on success", async () => {
    const { ctx, userId, reference } = await reserveOne(2);
    expect(await settleReservation(ctx, { reference, outcome: "spend" })).toEqual({
      kind: "settled",
      outcome: "spend",
      credits: 2,
    });
    expect(await buckets(ctx, userId)).toEqual([3, 0, 0]);
  });

  test("R-SRV-01: returned to its buckets on failure", async () => {
    const { ctx, userId, reference } = await reserveOne(2);
    await settleReservation(ctx, { reference, outcome: "release" });
    expect(await buckets(ctx, userId)).toEqual([5, 0, 0]);
  });

  test("once; a second settling reports what the first did", async () => {
    const { ctx, userId, reference } = await reserveOne(2);
    const outcomes = ["release", "spend", "release", "spend", "release"] as const;
    const answers = await Promise.all(outcomes.map((outcome) => settleReservation(ctx, { reference, outcome })));
    expect(answers.filter(({ kind }) => kind === "settled")).toHaveLength(1);
    const [first] = answers.map(({ outcome }) => outcome);
    expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set([first]));
    expect(await buckets(ctx, userId)).toEqual([first === "spend" ? 3 : 5, 0, 0]);
    const settles = (await causesOf(ctx, userId)).filter(([, cause]) => cause === `settle:${reference}`);
    expect(settles).toHaveLength(1);
  });

  test("credits of a task that fails in the next period expire with their own", async () => {
    const { ctx, userId, reference } = await reserveOne(2);
    await on(december, () => settleReservation(ctx, { reference, outcome: "release" }));
    expect(await buckets(ctx, userId)).toEqual([5, 0, 0]);
    expect((await findBalance(ctx, userId))?.period).toBe("2026-12");
    await on(new Date(december.getTime() + 31 * DAY_MS), () => ensureAllowance(ctx, { userId }));
    expect(await buckets(ctx, userId)).toEqual([5, 0, 0]);
  });

  test("a reference that was never reserved is not found", async () => {
    const { ctx } = await createUser(harness);
    const settling = settleReservation(ctx, { reference: newReference(), outcome: "spend" });
    expect(codeOf(await settling.catch((error: unknown) => error))).toBe("not_found");
  });
});

describe("granting", () => {
  test("by email, without regard to case, once per cause, on top of the allowance", async () => {
    const { ctx, userId, email } = await createUser(harness);
    const grant = { email: email.toUpperCase(), credits: 100, note: "thank you", cause: newReference() };
    expect(await grantCredits(ctx, grant)).toEqual({ kind: "granted", userId, availableCredits: 105 });
    expect(await grantCredits(ctx, grant)).toEqual({ kind: "already_granted", userId, availableCredits: 105 });
    const [row] = await ctx.db.query.creditTransfers.findMany({
      where: (one, { and, eq }) => and(eq(one.userId, userId), eq(one.kind, "grant")),
    });
    expect(row?.note).toBe("thank you");
  });

  test("only whole numbers of credits from 1 to a million", async () => {
    const { ctx, userId } = await createUser(harness);
    for (const credits of [0, -5, 1.5, Number.NaN, 1_000_001]) {
      const granting = grantCredits(ctx, { userId, credits, note: "", cause: newReference() });
      expect(codeOf(await granting.catch((error: unknown) => error))).toBe("invalid");
    }
  });

  test("an unknown email is reported", async () => {
    const { ctx } = await createUser(harness);
    const granting = grantCredits(ctx, { email: "nobody@example.com", credits: 1, note: "", cause: "x" });
    await expect(granting).rejects.toThrow("There is no user with this email.");
  });
});
