import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CARDS, type Harness, PRICES, startHarness } from "./sandbox-paddle-client.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

const bought = async () => (await harness.buy(PRICES.pack500, CARDS.good)).transaction.id;
const refund = async (transactionId: string) =>
  (await harness.control("POST", "/refunds", { transaction_id: transactionId })).body;
const adjustedTotal = async (id: string) => (await harness.paddle.transactions.get(id)).details?.adjustedTotals?.total;

describe("refunds and chargebacks", () => {
  test("R-SRV-10 a refund waits for approval, and nothing else can be adjusted meanwhile", async () => {
    const id = await bought();
    const adjustment = await refund(id);
    expect(adjustment).toMatchObject({ status: "pending_approval", totals: { total: "4950" }, transaction_id: id });
    expect((await refund(id)).code).toBe("adjustment_pending_refund_request");
    expect((await harness.control("POST", `/adjustments/${adjustment.id}/approve`)).body.status).toBe("approved");
    expect((await harness.control("POST", `/adjustments/${adjustment.id}/approve`)).status).toBe(400);
    expect((await refund(id)).code).toBe("adjustment_amount_above_remaining_allowed");
    await harness.settle();
    expect(harness.typesOf(String(adjustment.id))).toEqual(["adjustment.created", "adjustment.updated"]);
  });

  test("R-SRV-10 a rejected refund changes nothing; another can be requested", async () => {
    const id = await bought();
    const rejected = await refund(id);
    await harness.control("POST", `/adjustments/${rejected.id}/reject`);
    expect(await adjustedTotal(id)).toBe("4950");
    expect((await refund(id)).status).toBe("pending_approval");
  });

  test("R-SRV-10 after ten minutes a refund is approved automatically, unless that is turned off", async () => {
    await harness.control("PATCH", "/settings", { refundMinutes: 0 });
    const id = await bought();
    await refund(id);
    await harness.control("POST", "/clock", { offsetMs: 11 * 60_000 });
    expect(await adjustedTotal(id)).toBe("4950");
    await harness.control("PATCH", "/settings", { refundMinutes: 10 });
    await harness.control("POST", "/clock", { offsetMs: 12 * 60_000 });
    expect(await adjustedTotal(id)).toBe("0");
  });

  test("R-SRV-10 a refund lowers the transaction's adjusted totals, and a reversal restores them", async () => {
    const id = await bought();
    const { body } = await harness.control("POST", "/chargebacks", { transaction_id: id });
    expect(await adjustedTotal(id)).toBe("0");
    const reversed = await harness.control("POST", `/chargebacks/${body.id}/reverse`);
    expect(reversed).toMatchObject({ status: 201, body: { action: "chargeback_reverse", status: "approved" } });
    expect(await adjustedTotal(id)).toBe("4950");
    expect((await harness.control("POST", `/chargebacks/${body.id}/reverse`)).status).toBe(400);
    await harness.settle();
    expect(harness.typesOf(String(body.id), String(reversed.body.id))).toEqual([
      "adjustment.created",
      "adjustment.updated",
      "adjustment.created",
    ]);
    expect(harness.typesOf(id).slice(-2)).toEqual(["transaction.updated", "transaction.updated"]);
  });

  test("R-SRV-10 a chargeback takes effect immediately", async () => {
    const id = await bought();
    const { status, body } = await harness.control("POST", "/chargebacks", { transaction_id: id });
    expect([status, body]).toMatchObject([201, { action: "chargeback", status: "approved", transaction_id: id }]);
    const open = await harness.buy(PRICES.pack100, CARDS.good, { card: null });
    expect((await refund(open.transaction.id)).code).toBe("adjustment_transaction_invalid_status");
  });
});
