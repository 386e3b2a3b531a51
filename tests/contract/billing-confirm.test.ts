import { describe, expect, inject, test } from "vitest";
import { providerId } from "#tests/support/billing.ts";
import { type ContractUser, callApp, signUp } from "#tests/support/contract-client.ts";
import { controlPaddle } from "#tests/support/paddle.ts";
import { until } from "#tests/support/poll.ts";
import { databaseAt } from "./wire-database.ts";

const PURCHASE = "/api/users/credits/purchase/";
const CONFIRM = "/api/users/subscription/confirm/";
const database = databaseAt(() => inject("app").databaseUrl);
const paddle = () => controlPaddle(inject("app").paddleUrl);

const buyerOf = async ({ email }: ContractUser) => {
  const [row] = await database()<{ id: string }[]>`select id from users where email = ${email}`;
  return { userId: row?.id ?? "", email };
};

const credits = async (user: ContractUser): Promise<unknown> =>
  Object((await user.call("/api/users/credits/")).json).available_credits;

describe("R-API-22 R-ENT-17 R-BUY-19", () => {
  test("a payment is confirmed and granted once, whatever else is sent, with and without the slash", async () => {
    const user = await signUp();
    const { id } = await paddle().buy(await buyerOf(user), "pack:free:300");
    const body = { transactionId: id, credits: 3000, amount: 0.01 };
    for (const path of [PURCHASE, PURCHASE.slice(0, -1)]) {
      const { status, json } = await user.call(path, { method: "POST", body });
      expect([status, json]).toEqual([
        200,
        {
          success: true,
          status: "completed",
          credits: 300,
          available_credits: 305,
          message: "Successfully purchased 300 credits!",
        },
      ]);
    }
    // The payment's webhooks arrive as well and grant nothing more.
    const isApplied = async () => {
      const [row] = await database()`select count(*)::int as applied from payment_events
        where fact->'transaction'->>'id' = ${id} and applied_at is not null`;
      return Number(row?.applied) > 0;
    };
    await until(isApplied, { deadlineMs: 60_000, what: "the payment's events" });
    expect(await credits(user)).toBe(305);
  });

  test("R-PAY-03: another user's and unknown payments are 404, without an id it is 400, without a login 401", async () => {
    const [user, other] = [await signUp(), await signUp()];
    const { id } = await paddle().buy(await buyerOf(user), "pack:free:100");
    for (const transactionId of [id, providerId("txn"), "txn_1", "../transactions"]) {
      const answer = await other.call(PURCHASE, { method: "POST", body: { transactionId } });
      expect(answer).toMatchObject({ status: 404, json: { code: "not_found" } });
    }
    for (const body of [{}, { transactionId: 7 }, { transactionId: "" }]) {
      expect(await user.call(PURCHASE, { method: "POST", body })).toMatchObject({ status: 400 });
    }
    expect(await callApp(PURCHASE, { method: "POST", body: { transactionId: id } })).toMatchObject({ status: 401 });
    expect(await credits(other)).toBe(5);
  });
});

describe("R-API-18 R-ENT-16 R-PRICE-13", () => {
  test("A-59: returns the bare subscription with the paid plan; the other fields are ignored", async () => {
    const user = await signUp();
    const { id } = await paddle().buy(await buyerOf(user), "plan:growth");
    const forged = { plan: "pro", price: 0, subscriptionId: "sub_1", customerId: "ctm_1" };
    const body = {
      transactionId: id,
      ...forged,
      cancelUrl: "https://example.com/c",
      updateUrl: "https://example.com/u",
    };
    const { status, json } = await user.call(CONFIRM, { method: "POST", body });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      status: "active",
      auto_renew: true,
      confirmation: "completed",
      plan: { slug: "growth", price: 49, features: { extra_credit_price: 0.045, credits: 1000 } },
    });
    expect(await credits(user)).toBe(1000);
    expect(await user.call("/api/users/subscription/")).toMatchObject({
      status: 200,
      json: { plan: { slug: "growth" } },
    });
  });

  test("an unpaid checkout is 409, another user's 404; neither changes anything", async () => {
    const [user, other] = [await signUp(), await signUp()];
    const { id } = await paddle().buy(await buyerOf(user), "plan:basic", { card: null });
    const call = (who: ContractUser) => who.call(CONFIRM, { method: "POST", body: { transactionId: id } });
    expect(await call(user)).toMatchObject({ status: 409, json: { code: "wrong_state" } });
    expect(await call(other)).toMatchObject({ status: 404 });
    expect(await user.call("/api/users/subscription/")).toMatchObject({ json: { plan: { slug: "free" } } });
  });
});
