import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CARDS, type House, PRICES, startHouse } from "./sandbox-paddle-client.ts";

let house: House;
beforeAll(async () => {
  house = await startHouse();
});
afterAll(() => house.close());

const bought = async () => (await house.buy(PRICES.pack500, CARDS.good)).transaction.id;
const refund = async (transactionId: string) =>
  (await house.control("POST", "/refunds", { transaction_id: transactionId })).body;
const adjustedTotal = async (id: string) => (await house.paddle.transactions.get(id)).details?.adjustedTotals?.total;

describe("refunds and chargebacks", () => {
  test("R-SRV-10 a refund waits for its approval, and nothing else is adjusted meanwhile", async () => {
    const id = await bought();
    const adjustment = await refund(id);
    expect(adjustment).toMatchObject({ status: "pending_approval", totals: { total: "4950" }, transaction_id: id });
    expect((await refund(id)).code).toBe("adjustment_pending_refund_request");
    expect((await house.control("POST", `/adjustments/${adjustment.id}/approve`)).body.status).toBe("approved");
    expect((await house.control("POST", `/adjustments/${adjustment.id}/approve`)).status).toBe(400);
    expect((await refund(id)).code).toBe("adjustment_amount_above_remaining_allowed");
    await house.settle();
    expect(house.typesOf(String(adjustment.id))).toEqual(["adjustment.created", "adjustment.updated"]);
  });

  test("R-SRV-10 a rejected refund leaves the money where it is; another may be asked for", async () => {
    const id = await bought();
    const rejected = await refund(id);
    await house.control("POST", `/adjustments/${rejected.id}/reject`);
    expect(await adjustedTotal(id)).toBe("4950");
    expect((await refund(id)).status).toBe("pending_approval");
  });

  test("R-SRV-10 after ten minutes a refund is approved by itself, unless that is switched off", async () => {
    await house.control("PATCH", "/settings", { refundMinutes: 0 });
    const id = await bought();
    await refund(id);
    await house.control("POST", "/clock", { offsetMs: 11 * 60_000 });
    expect(await adjustedTotal(id)).toBe("4950");
    await house.control("PATCH", "/settings", { refundMinutes: 10 });
    await house.control("POST", "/clock", { offsetMs: 12 * 60_000 });
    expect(await adjustedTotal(id)).toBe("0");
  });

  test("R-SRV-10 what was given back is taken off the transaction's adjusted totals, and a reversal puts it back", async () => {
    const id = await bought();
    const { body } = await house.control("POST", "/chargebacks", { transaction_id: id });
    expect(await adjustedTotal(id)).toBe("0");
    const reversed = await house.control("POST", `/chargebacks/${body.id}/reverse`);
    expect(reversed).toMatchObject({ status: 201, body: { action: "chargeback_reverse", status: "approved" } });
    expect(await adjustedTotal(id)).toBe("4950");
    expect((await house.control("POST", `/chargebacks/${body.id}/reverse`)).status).toBe(400);
    await house.settle();
    expect(house.typesOf(String(body.id), String(reversed.body.id))).toEqual([
      "adjustment.created",
      "adjustment.updated",
      "adjustment.created",
    ]);
    expect(house.typesOf(id).slice(-2)).toEqual(["transaction.updated", "transaction.updated"]);
  });

  test("R-SRV-10 a chargeback holds at once", async () => {
    const id = await bought();
    const { status, body } = await house.control("POST", "/chargebacks", { transaction_id: id });
    expect([status, body]).toMatchObject([201, { action: "chargeback", status: "approved", transaction_id: id }]);
    const open = await house.buy(PRICES.pack100, CARDS.good, { card: null });
    expect((await refund(open.transaction.id)).code).toBe("adjustment_transaction_invalid_status");
  });
});
