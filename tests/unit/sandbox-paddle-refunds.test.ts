import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CARDS, call, type House, PRICES, spec, startHouse } from "./sandbox-paddle-client.ts";

let house: House;
beforeAll(async () => {
  house = await startHouse();
});
afterAll(() => house.close());

const bought = async () => (await house.buy(PRICES.pack500, CARDS.good)).transaction.id;
const refund = (transactionId: string) =>
  house.paddle.adjustments.create({ action: "refund", transactionId, reason: "asked", type: "full" });

describe("refunds and chargebacks", () => {
  test("R-SRV-10 a refund waits for its approval, and nothing else is adjusted meanwhile", async () => {
    const id = await bought();
    const adjustment = await refund(id);
    expect(adjustment).toMatchObject({ status: "pending_approval", totals: { total: "4950" }, transactionId: id });
    await expect(refund(id)).rejects.toMatchObject({ code: "adjustment_pending_refund_request" });
    expect((await house.control("POST", `/adjustments/${adjustment.id}/approve`)).body.status).toBe("approved");
    expect((await house.control("POST", `/adjustments/${adjustment.id}/approve`)).status).toBe(400);
    await expect(refund(id)).rejects.toMatchObject({ code: "adjustment_amount_above_remaining_allowed" });
    await house.settle();
    expect(house.typesOf(adjustment.id)).toEqual(["adjustment.created", "adjustment.updated"]);
    const listed = await call(house.url, "GET", `/adjustments?transaction_id=${id}`);
    expect(spec.checkReply("GET", "/adjustments", 200, listed.body)).toEqual({ ok: true });
    expect(listed.body.data).toHaveLength(1);
  });

  test("R-SRV-10 a rejected refund leaves the money where it is; a part may be asked for", async () => {
    const id = await bought();
    const { status, body: rejected } = await house.control("POST", "/refunds", { transaction_id: id });
    expect([status, rejected.status]).toEqual([201, "pending_approval"]);
    await house.control("POST", `/adjustments/${rejected.id}/reject`);
    const { details } = await house.paddle.transactions.get(id);
    const itemId = details?.lineItems[0]?.id ?? "";
    const part = await house.paddle.adjustments.create({
      action: "refund",
      transactionId: id,
      reason: "a part",
      items: [{ itemId, type: "partial", amount: "1000" }],
    });
    expect(part).toMatchObject({ status: "pending_approval", totals: { total: "1000" } });
  });

  test("R-SRV-10 after ten minutes a refund is approved by itself, unless that is switched off", async () => {
    const kept = await house
      .control("PATCH", "/settings", { refundMinutes: 0 })
      .then(async () => refund(await bought()));
    await house.control("POST", "/clock", { offsetMs: 11 * 60_000 });
    const statusOf = async (id: string) => (await house.paddle.adjustments.list({ id: [id] }).next())[0]?.status;
    expect(await statusOf(kept.id)).toBe("pending_approval");
    await house.control("PATCH", "/settings", { refundMinutes: 10 });
    await house.control("POST", "/clock", { offsetMs: 12 * 60_000 });
    expect(await statusOf(kept.id)).toBe("approved");
  });

  test("R-SRV-10 what was given back is taken off the transaction's adjusted totals, and a reversal puts it back", async () => {
    const id = await bought();
    const adjusted = async () => (await house.paddle.transactions.get(id)).details?.adjustedTotals?.total;
    const { body } = await house.control("POST", "/chargebacks", { transaction_id: id });
    expect(await adjusted()).toBe("0");
    const reversed = await house.control("POST", `/chargebacks/${body.id}/reverse`);
    expect(reversed).toMatchObject({ status: 201, body: { action: "chargeback_reverse", status: "approved" } });
    expect(await adjusted()).toBe("4950");
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
    await expect(refund(open.transaction.id)).rejects.toMatchObject({
      code: "adjustment_transaction_invalid_status_for_refund",
    });
  });
});
