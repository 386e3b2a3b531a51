import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { payments } from "#db/schema/billing.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { CARD_ORIGIN, SETTINGS_TEXTS } from "#lib/features/billing/constants.ts";
import { applyFact } from "#lib/features/billing/events.ts";
import { listPayments, openPortal, openReceipt } from "#lib/features/billing/payment-history.ts";
import { findSubscription } from "#lib/features/billing/queries.ts";
import type { ListPaymentsInput } from "#lib/features/billing/schema.ts";
import { toPayments, toPaymentsLink } from "#lib/features/billing/serializers.ts";
import { createTestHouse, createUser } from "#tests/support/context.ts";
import { CARDS } from "#tests/support/paddle.ts";
import { tablesWith } from "./privacy-house.ts";
import { type Payer, subscriptionWorld } from "./subscription-house.ts";

const { paddle, sync, job, payer, subscriber, database } = subscriptionWorld();

const ADDRESS = "http://localhost/api/users/payments/";
const listOf = async ({ ctx }: Payer, input: ListPaymentsInput = {}) => toPayments(await listPayments(ctx, input));
const idOf = async (someone: Payer): Promise<string> => (await listOf(someone))[0]?.id ?? "";

describe("R-SET-03 R-API-16 the list of payments", () => {
  test("R-ENT-13 says what was paid for, how much, how, when, and how it went", async () => {
    const someone = await subscriber();
    const [payment] = await listOf(someone);
    expect(payment).toEqual({
      id: expect.stringMatching(/^txn_/),
      amount: 29,
      currency: "USD",
      payment_method: "Visa ending in 4242",
      transaction_id: payment?.id,
      payment_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      status: "successful",
      description: "Basic plan",
      has_receipt: true,
      refunded: 0,
    });
  });

  test("R-SET-04 newest first; one that was declined has failed, a checkout that was left is no payment", async () => {
    const someone = await payer();
    await paddle().buy(someone, "pack:free:100");
    // What one purchase changes is told a millisecond apart: the next must be later than that.
    await sync();
    await paddle().buy(someone, "pack:free:300", { card: CARDS.declined });
    await paddle().buy(someone, "pack:free:500", { card: null });
    await sync();
    expect((await listOf(someone)).map(({ description, status, amount }) => [description, status, amount])).toEqual([
      ["300 credits", "failed", 18],
      ["100 credits", "successful", 6],
    ]);
  });

  test("R-SET-04 paid and not completed yet is pending; amounts are in their own currency", async () => {
    const someone = await subscriber();
    const id = await idOf(someone);
    const change = { status: "paid" as const, currency: "JPY", totalMinor: 4500 };
    await someone.ctx.db.update(payments).set(change).where(eq(payments.id, id));
    expect(await listOf(someone)).toMatchObject([
      { status: "pending", currency: "JPY", amount: 4500, has_receipt: false },
    ]);
  });

  test("what was paid back stands beside it", async () => {
    const someone = await payer();
    const { id } = await paddle().buy(someone, "pack:free:100");
    await paddle().control("POST", "/chargebacks", { transaction_id: id });
    await sync();
    expect(await listOf(someone)).toMatchObject([{ status: "successful", amount: 6, refunded: 6 }]);
  });

  test("a chargeback that was reversed leaves what was refunded before it", async () => {
    const someone = await payer();
    const { id: transactionId } = await paddle().buy(someone, "pack:free:300");
    await sync();
    const day = (n: number) => addMs(job().now(), n * DAY_MS);
    const tell = (id: string, action: string, status: string, totalMinor: number, updatedAt: Date) =>
      applyFact(job(), {
        fact: {
          kind: "adjustment",
          adjustment: { id, action, status, transactionId, currency: "USD", totalMinor, createdAt: day(0), updatedAt },
        },
      });
    await tell("adj_refund", "refund", "approved", 600, day(0));
    await tell("adj_chargeback", "chargeback", "approved", 1200, day(1));
    expect(await listOf(someone)).toMatchObject([{ refunded: 18 }]);
    await tell("adj_chargeback", "chargeback", "reversed", 1200, day(2));
    await tell("adj_reversal", "chargeback_reverse", "approved", 1200, day(2));
    expect(await listOf(someone)).toMatchObject([{ refunded: 6 }]);
  });

  test("A-19 R-ROLE-04 page by page, each payment once, and nobody else's", async () => {
    const [someone, other] = [await payer(), await payer()];
    for (const offer of ["pack:free:100", "pack:free:300", "pack:free:500"]) {
      await paddle().buy(someone, offer);
      await sync();
    }
    await paddle().buy(other, "pack:free:1000");
    await sync();
    const seen: string[] = [];
    let input: ListPaymentsInput | null = { limit: 2 };
    while (input) {
      const page = await listPayments(someone.ctx, input);
      seen.push(...toPayments(page).map(({ description }) => description));
      const { link } = toPaymentsLink(page, new Request(`${ADDRESS}?limit=2`));
      const cursor: string | null = link
        ? new URL(link.slice(1, link.indexOf(">")), ADDRESS).searchParams.get("cursor")
        : null;
      input = cursor ? { limit: 2, cursor } : null;
    }
    expect(seen).toEqual(["500 credits", "300 credits", "100 credits"]);
    await expect(listPayments(someone.ctx, { cursor: "elsewhere" })).rejects.toMatchObject({ code: "invalid" });
  });
});

describe("receipts", () => {
  test("the address is the provider's, asked for when it is wanted and stored nowhere", async () => {
    const someone = await subscriber();
    const url = await openReceipt(someone.ctx, { id: await idOf(someone) });
    expect(url.startsWith(`${paddle().url}/invoices/`)).toBe(true);
    expect(await tablesWith(job(), url)).toEqual([]);
  });

  test("R-ROLE-04 somebody else's and one that is not there look alike", async () => {
    const [someone, other] = [await subscriber(), await payer()];
    for (const id of [await idOf(someone), "txn_01hv8wptq8987qeep44cyrewp9", "../customers"]) {
      await expect(openReceipt(other.ctx, { id })).rejects.toMatchObject({ code: "not_found" });
    }
  });

  test("one that failed has none; a provider in trouble is told apart", async () => {
    const someone = await payer();
    await paddle().buy(someone, "pack:free:300", { card: CARDS.declined });
    await sync();
    const failed = openReceipt(someone.ctx, { id: await idOf(someone) });
    await expect(failed).rejects.toMatchObject({ code: "wrong_state", message: SETTINGS_TEXTS.noReceipt });
    await paddle().buy(someone, "pack:free:100");
    await sync();
    await paddle().strike({ scenario: "server-error", match: "GET /transactions/:id/invoice", times: 1 });
    const broken = openReceipt(someone.ctx, { id: await idOf(someone) });
    await expect(broken).rejects.toMatchObject({ code: "provider_unavailable" });
  });
});

describe("the page where the way of paying is changed", () => {
  test("A-59 its address is asked for when it is wanted and stored nowhere", async () => {
    const someone = await subscriber();
    const [first, second] = [await openPortal(someone.ctx), await openPortal(someone.ctx)];
    expect(first.startsWith(paddle().url)).toBe(true);
    expect(first).not.toBe(second);
    expect(await tablesWith(job(), first)).toEqual([]);
  });

  test("R-ROLE-04 who paid under somebody else's address changes their own card, and sees nothing of the other", async () => {
    const [victim, other] = [await subscriber("pro"), await payer()];
    await paddle().buy({ userId: other.userId, email: victim.email }, "plan:basic");
    await sync();
    const customers = await Promise.all([victim, other].map(({ ctx, userId }) => findSubscription(ctx, userId)));
    expect(new Set(customers.map((row) => row?.customerId)).size).toBe(1);
    for (const { ctx, userId } of [other, victim]) {
      const url = new URL(await openPortal(ctx));
      expect(url.pathname).toBe("/pricing");
      const transaction = await ctx.payments.getTransaction(url.searchParams.get("_ptxn") ?? "");
      const subscriptionId = (await findSubscription(ctx, userId))?.id;
      expect(transaction).toMatchObject({ value: { subscriptionId, origin: CARD_ORIGIN, totalMinor: 0 } });
    }
  });

  test("who has no plan has none; a provider that is away or busy is told", async () => {
    const free = await payer();
    await expect(openPortal(free.ctx)).rejects.toMatchObject({
      code: "wrong_state",
      message: SETTINGS_TEXTS.nothingToManage,
    });
    const someone = await subscriber();
    await paddle().strike({ scenario: "rate-limited", match: "POST /customers/:id/portal-sessions", times: 1 });
    await expect(openPortal(someone.ctx)).rejects.toMatchObject({ code: "provider_unavailable", retryAfterSeconds: 2 });
  });
});

test("A-23 plan and payments are read while there is no provider at all", async () => {
  const lonely = createTestHouse({ databaseUrl: database().url, storageDir: "/nonexistent" });
  try {
    const { ctx } = await createUser(lonely);
    expect((await listPayments(ctx, {})).payments).toEqual([]);
    await expect(openPortal(ctx)).rejects.toMatchObject({ code: "wrong_state" });
  } finally {
    await lonely.close();
  }
});
