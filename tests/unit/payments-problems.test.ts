import { describe, expect, test } from "vitest";
import { transactionWire, WIRE_IDS } from "#tests/support/payments.ts";
import { refusal, scriptedPaddle } from "#tests/support/scripted-paddle.ts";

const { transaction, subscription, price } = WIRE_IDS;

describe("problems of the payment provider", () => {
  test.each([
    [refusal(404, "entity_not_found"), { kind: "not_found", code: "entity_not_found" }],
    [refusal(404, "not_found"), { kind: "not_found" }],
    [
      refusal(429, "too_many_requests", { headers: { "retry-after": "7" } }),
      { kind: "rate_limited", retryAfterSeconds: 7 },
    ],
    [refusal(429, "too_many_requests"), { kind: "rate_limited", retryAfterSeconds: 60 }],
    [
      refusal(429, "too_many_requests", { headers: { "retry-after": "999999999" } }),
      { kind: "rate_limited", retryAfterSeconds: 3_600 },
    ],
    [
      refusal(429, "too_many_requests", { headers: { "retry-after": "Sun, 22 Nov 2026" } }),
      { kind: "rate_limited", retryAfterSeconds: 60 },
    ],
    [refusal(400, "invalid_field"), { kind: "refused", code: "invalid_field", text: /couldn't be processed/ }],
    [refusal(409, "subscription_locked_renewal"), { kind: "refused", text: /about to renew/ }],
    [refusal(400, "subscription_payment_declined"), { kind: "refused", text: /declined/ }],
    [refusal(403, "invalid_token"), { kind: "refused", text: /aren't set up correctly/ }],
    [refusal(403, "authentication_malformed"), { kind: "refused", text: /aren't set up correctly/ }],
    [refusal(500, "internal_error"), { kind: "unavailable" }],
    [refusal(503, "service_unavailable"), { kind: "unavailable" }],
    [{ status: 502, text: "<html>Bad Gateway</html>" }, { kind: "unavailable" }],
    [{ status: 502, json: { error: "bad gateway" } }, { kind: "unavailable" }],
    [{ status: 503, json: { message: "no healthy upstream" } }, { kind: "unavailable" }],
    [{ status: 200, text: "" }, { kind: "unavailable" }],
    [{ status: 200, text: "null" }, { kind: "unavailable" }],
    [{ data: null }, { kind: "unavailable" }],
    [{ data: { id: transaction } }, { kind: "unavailable" }],
    [{ data: transactionWire({ status: "levitating" }) }, { kind: "unavailable" }],
    ["cut" as const, { kind: "unavailable" }],
    ["hang" as const, { kind: "unavailable", detail: /no answer in 300 ms/ }],
  ])("%j is %j", async (answer, { text, detail, ...expected }: Record<string, unknown>) => {
    const { client } = await scriptedPaddle(answer);
    const got = await client.getTransaction(transaction);
    expect(got).toMatchObject({ kind: "problem", problem: expected });
    const problem = got.kind === "problem" ? got.problem : null;
    expect(problem?.text).toMatch(text instanceof RegExp ? text : /\.$/);
    if (detail instanceof RegExp) expect(problem?.detail).toMatch(detail);
  });

  test("a wrong field is named in the log, not to users", async () => {
    const error = {
      type: "request_error",
      code: "invalid_field",
      detail: "Request does not pass validation.",
      errors: [{ field: "items.0.price_id", message: "unknown" }],
    };
    const { client } = await scriptedPaddle({ status: 400, json: { error } });
    expect(await client.changePrice(subscription, price, "free")).toMatchObject({
      problem: {
        kind: "refused",
        text: "Your payment couldn't be processed. Please try again or contact support.",
        detail: "invalid_field; Request does not pass validation.; items.0.price_id: unknown",
      },
    });
  });

  test("connection refused: unavailable, without an exception", async () => {
    const { client, seen } = await scriptedPaddle("cut", "cut", "cut", "cut");
    expect(await client.getSubscription(subscription)).toMatchObject({ problem: { kind: "unavailable" } });
    expect(await client.cancelSubscription(subscription, "now")).toMatchObject({ problem: { kind: "unavailable" } });
    expect(await client.listEvents(null)).toMatchObject({ problem: { kind: "unavailable" } });
    expect(await client.listPrices()).toMatchObject({ problem: { kind: "unavailable" } });
    // A write is not retried automatically: its outcome is unknown.
    expect(seen).toHaveLength(4);
  });

  test.each([
    "",
    "txn_1",
    "txn_../customers",
    `${transaction}/../x`,
    `${transaction}?include=customer`,
    "x".repeat(500),
  ])("an id like %j is not found and never requested", async (id) => {
    const { client, seen } = await scriptedPaddle();
    expect(await client.getTransaction(id)).toMatchObject({ problem: { kind: "not_found" } });
    expect(await client.invoiceUrl(id)).toMatchObject({ problem: { kind: "not_found" } });
    expect(await client.cancelSubscription(id, "now")).toMatchObject({ problem: { kind: "not_found" } });
    expect(await client.portalUrl(id, subscription)).toMatchObject({ problem: { kind: "not_found" } });
    expect(seen).toEqual([]);
  });
});
