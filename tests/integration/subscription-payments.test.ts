import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { payments } from "#db/schema/billing.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { CARD_CHANGE_ORIGIN, SETTINGS_TEXTS } from "#lib/features/billing/constants.ts";
import { applyFact } from "#lib/features/billing/events.ts";
import { listPayments, openPortal, openReceipt } from "#lib/features/billing/payment-history.ts";
import { findSubscription } from "#lib/features/billing/queries.ts";
import type { ListPaymentsInput } from "#lib/features/billing/schema.ts";
import { toPayments, toPaymentsLink } from "#lib/features/billing/serializers.ts";
import { createTestHarness, createUser } from "#tests/support/context.ts";
import { CARDS } from "#tests/support/paddle.ts";
import { tablesWith } from "./privacy-harness.ts";
import { type Payer, subscriptionHarness } from "./subscription-harness.ts";

const { paddle, sync, job, payer, subscriber, database } = subscriptionHarness();

const ADDRESS = "http://localhost/api/users/payments/";
const listOf = async ({ ctx }: Payer, input: ListPaymentsInput = {}) => toPayments(await listPayments(ctx, input));
const idOf = async (someone: Payer): Promise<string> => (await listOf(someone))[0]?.id ?? "";

describe("R-SET-03 R-API-16 the list of payments", () => {
  test("R-ENT-13 lists what was paid for, how much, how, when, and the outcome", async () => {
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

  test("R-SET-04 newest first; a declined one has failed, an abandoned checkout is not listed", async () => {
    const someone = await payer();
    await paddle().buy(someone, "pack:free:100");
    // The events of one purchase are a millisecond apart, so the next purchase must be later.
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

  test("shows what was refunded", async () => {
    const someone = await payer();
    const { id } = await paddle().buy(someone, "pack:free:100");
    await paddle().control("POST", "/chargebacks", { transaction_id: id });
    await sync();
    expect(await listOf(someone)).toMatchObject([{ status: "successful", amount: 6, refunded: 6 }]);
  });

  test("a reversed chargeback leaves earlier refunds", async () => {
    const someone = await payer();
    const { id: transactionId } = await paddle().buy(someone, "pack:free:300");
    await sync();
    const day = (n: number) => addMs(job().now(), n * DAY_MS);
    const deliver = (id: string, action: string, status: string, totalMinor: number, updatedAt: Date) =>
      applyFact(job(), {
        fact: {
          kind: "adjustment",
          adjustment: { id, action, status, transactionId, currency: "USD", totalMinor, createdAt: day(0), updatedAt },
        },
      });
    await deliver("adj_refund", "refund", "approved", 600, day(0));
    await deliver("adj_chargeback", "chargeback", "approved", 1200, day(1));
    expect(await listOf(someone)).toMatchObject([{ refunded: 18 }]);
    await deliver("adj_chargeback", "chargeback", "reversed", 1200, day(2));
    await deliver("adj_reversal", "chargeback_reverse", "approved", 1200, day(2));
    expect(await listOf(someone)).toMatchObject([{ refunded: 6 }]);
  });

  test("A-19 R-ROLE-04 page by page, each payment once, and no one else's", async () => {
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
  test("the URL comes from the provider on demand and is not stored", async () => {
    const someone = await subscriber();
    const url = await openReceipt(someone.ctx, { id: await idOf(someone) });
    expect(url.startsWith(`${paddle().url}/invoices/`)).toBe(true);
    expect(await tablesWith(job(), url)).toEqual([]);
  });

  test("R-ROLE-04 another user's payment and a missing one look the same", async () => {
    const [someone, other] = [await subscriber(), await payer()];
    for (const id of [await idOf(someone), "txn_01hv8wptq8987qeep44cyrewp9", "../customers"]) {
      await expect(openReceipt(other.ctx, { id })).rejects.toMatchObject({ code: "not_found" });
    }
  });

  test("a failed payment has none; provider problems are distinguished", async () => {
    const someone = await payer();
    await paddle().buy(someone, "pack:free:300", { card: CARDS.declined });
    await sync();
    const failed = openReceipt(someone.ctx, { id: await idOf(someone) });
    await expect(failed).rejects.toMatchObject({ code: "wrong_state", message: SETTINGS_TEXTS.noReceipt });
    await paddle().buy(someone, "pack:free:100");
    await sync();
    await paddle().addFault({ scenario: "server-error", match: "GET /transactions/:id/invoice", times: 1 });
    const broken = openReceipt(someone.ctx, { id: await idOf(someone) });
    await expect(broken).rejects.toMatchObject({ code: "provider_unavailable" });
  });
});

describe("the page for changing the payment method", () => {
  test("A-59 its URL is requested on demand and not stored", async () => {
    const someone = await subscriber();
    const [first, second] = [await openPortal(someone.ctx), await openPortal(someone.ctx)];
    expect(first.startsWith(paddle().url)).toBe(true);
    expect(first).not.toBe(second);
    expect(await tablesWith(job(), first)).toEqual([]);
  });

  test("R-ROLE-04 users who paid with someone else's email change their own card and see nothing of the other user", async () => {
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
      expect(transaction).toMatchObject({ value: { subscriptionId, origin: CARD_CHANGE_ORIGIN, totalMinor: 0 } });
    }
  });

  test("without a plan there is none; a provider that is down or busy is reported", async () => {
    const free = await payer();
    await expect(openPortal(free.ctx)).rejects.toMatchObject({
      code: "wrong_state",
      message: SETTINGS_TEXTS.nothingToManage,
    });
    const someone = await subscriber();
    await paddle().addFault({ scenario: "rate-limited", match: "POST /customers/:id/portal-sessions", times: 1 });
    await expect(openPortal(someone.ctx)).rejects.toMatchObject({ code: "provider_unavailable", retryAfterSeconds: 2 });
  });
});

test("A-23 plan and payments can be read without the provider", async () => {
  const lonely = createTestHarness({ databaseUrl: database().url, storageDir: "/nonexistent" });
  try {
    const { ctx } = await createUser(lonely);
    expect((await listPayments(ctx, {})).payments).toEqual([]);
    await expect(openPortal(ctx)).rejects.toMatchObject({ code: "wrong_state" });
  } finally {
    await lonely.close();
  }
});
