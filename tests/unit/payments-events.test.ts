import { describe, expect, test } from "vitest";
import { readEventBody } from "#lib/integrations/payments/events.ts";
import {
  adjustmentWire,
  attemptWire,
  eventBody,
  priceWire,
  subscriptionWire,
  transactionWire,
  WIRE_IDS,
} from "#tests/support/payments.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const factOf = (type: string, data: unknown) => readEventBody(eventBody(type, data))?.fact;
const transactionOf = (over: Record<string, unknown>) => {
  const fact = factOf("transaction.updated", transactionWire(over));
  return fact?.kind === "transaction" ? fact.transaction : null;
};

describe("events of the payment provider", () => {
  test("a completed transaction", () => {
    const event = readEventBody(eventBody("transaction.completed", transactionWire()));
    expect(event).toEqual({
      eventId: WIRE_IDS.event,
      eventType: "transaction.completed",
      occurredAt: new Date("2026-11-01T10:18:50.123Z"),
      unreadable: null,
      fact: {
        kind: "transaction",
        transaction: {
          id: WIRE_IDS.transaction,
          status: "completed",
          origin: "web",
          customerId: WIRE_IDS.customer,
          subscriptionId: WIRE_IDS.subscription,
          customData: { userId: "usr_1", purchaseRef: "pur_1" },
          items: [{ priceId: WIRE_IDS.price, quantity: 1 }],
          billingPeriod: {
            startsAt: new Date("2026-11-01T10:18:47.635Z"),
            endsAt: new Date("2026-12-01T10:18:47.635Z"),
          },
          currency: "USD",
          totalMinor: 2900,
          method: "Visa ending in 4242",
          failure: null,
          invoiceNumber: "325-10566",
          createdAt: new Date("2026-11-01T10:12:33.201Z"),
          billedAt: new Date("2026-11-01T10:18:48.294Z"),
          updatedAt: new Date("2026-11-01T10:18:49.738Z"),
        },
      },
    });
  });

  test("a subscription that is ending", () => {
    const scheduled_change = { action: "cancel", effective_at: "2026-12-01T10:18:47.635628Z", resume_at: null };
    expect(factOf("subscription.updated", subscriptionWire({ scheduled_change }))).toEqual({
      kind: "subscription",
      subscription: {
        id: WIRE_IDS.subscription,
        status: "active",
        customerId: WIRE_IDS.customer,
        customData: { userId: "usr_1", purchaseRef: "pur_1" },
        priceId: WIRE_IDS.price,
        currentPeriod: {
          startsAt: new Date("2026-11-01T10:18:47.635Z"),
          endsAt: new Date("2026-12-01T10:18:47.635Z"),
        },
        nextBilledAt: new Date("2026-12-01T10:18:47.635Z"),
        scheduledChange: { action: "cancel", effectiveAt: new Date("2026-12-01T10:18:47.635Z") },
        startedAt: new Date("2026-11-01T10:18:47.635Z"),
        pausedAt: null,
        canceledAt: null,
        updatedAt: new Date("2026-11-01T10:18:48.9Z"),
      },
    });
  });

  test("a refund waiting for approval", () => {
    expect(factOf("adjustment.created", adjustmentWire())).toEqual({
      kind: "adjustment",
      adjustment: {
        id: WIRE_IDS.adjustment,
        action: "refund",
        status: "pending_approval",
        transactionId: WIRE_IDS.transaction,
        currency: "USD",
        totalMinor: 2900,
        createdAt: new Date("2026-11-05T08:48:20.239Z"),
        updatedAt: new Date("2026-11-05T08:48:20.239Z"),
      },
    });
  });

  test("a transaction before any payment, and one for a pack", () => {
    const draft = transactionOf({
      status: "draft",
      customer_id: null,
      subscription_id: null,
      billing_period: null,
      payments: [],
      billed_at: null,
      invoice_number: null,
      custom_data: null,
      items: [{ price: priceWire({ billing_cycle: null }), quantity: 3, proration: null }],
    });
    expect(draft).toMatchObject({
      status: "draft",
      customerId: null,
      subscriptionId: null,
      billingPeriod: null,
      method: null,
      failure: null,
      customData: { userId: null, purchaseRef: null },
      items: [{ quantity: 3 }],
    });
  });

  test("the newest attempt decides the failure, whatever the order; the method is the one that paid", () => {
    const declined = attemptWire({
      status: "error",
      error_code: "declined",
      created_at: "2026-11-01T10:15:57Z",
      method_details: { type: "card", card: { type: "mastercard", last4: "0002" } },
    });
    const paid = attemptWire({ created_at: "2026-11-01T10:18:33Z" });
    expect(transactionOf({ payments: [paid, declined] })).toMatchObject({
      failure: null,
      method: "Visa ending in 4242",
    });
    expect(transactionOf({ payments: [declined, paid] })).toMatchObject({
      failure: null,
      method: "Visa ending in 4242",
    });
    expect(transactionOf({ payments: [declined] })).toMatchObject({
      failure: "declined",
      method: "Mastercard ending in 0002",
    });
  });

  test.each([
    [{ type: "paypal", card: null }, "PayPal"],
    [{ type: "google_pay", card: null }, "Google Pay"],
    [{ type: "pay_by_dance" }, "Pay By Dance"],
    [{ type: "unknown" }, "Other payment method"],
    [{ type: "constructor" }, "Constructor"],
    [{ type: "card", card: { type: "american_express", last4: "0005" } }, "American Express ending in 0005"],
    [{ type: "card", card: { type: "unknown", last4: "1111" } }, "Card ending in 1111"],
  ])("R-ENT-13 the payment method %j is %j", (method_details, text) => {
    expect(transactionOf({ payments: [attemptWire({ method_details })] })?.method).toBe(text);
  });

  test("R-PAY-03 custom data comes from the browser: anything but a short id counts as missing", () => {
    const hintsOf = (custom_data: unknown) => transactionOf({ custom_data })?.customData;
    expect(hintsOf({ user_id: 7, purchase_ref: { $ne: 1 } })).toEqual({ userId: null, purchaseRef: null });
    expect(hintsOf({ user_id: "x".repeat(101), purchase_ref: "pur_9" })).toEqual({
      userId: null,
      purchaseRef: "pur_9",
    });
    expect(hintsOf("text")).toEqual({ userId: null, purchaseRef: null });
    expect(hintsOf({ userId: "usr_9" })).toEqual({ userId: null, purchaseRef: null });
  });

  test("the charge is the total less the customer's credit, exact for large amounts", () => {
    const details = { totals: { total: "6521500000001", grand_total: "6521500000000" } };
    expect(transactionOf({ details })?.totalMinor).toBe(6_521_500_000_000);
    expect(transactionOf({ details: { totals: { total: "700" } } })?.totalMinor).toBe(700);
  });
});

describe("unknown values are ignored", () => {
  test("unknown fields, origins and adjustments pass; unknown kinds of events have no fact", () => {
    expect(transactionOf({ origin: "from_the_future", shiny: { new_field: [1] } })?.origin).toBe("from_the_future");
    expect(factOf("adjustment.updated", adjustmentWire({ action: "chargeback_warning" }))).toMatchObject({
      adjustment: { action: "chargeback_warning" },
    });
    for (const type of ["customer.updated", "api_key_exposure.created", "client_token.revoked", "x"]) {
      expect(readEventBody(eventBody(type, { id: "ctm_1" }))).toMatchObject({ fact: null, unreadable: null });
    }
  });

  test("unreadable data of a known kind has a reason", () => {
    const unknown = readEventBody(eventBody("transaction.updated", transactionWire({ status: "levitating" })));
    expect(unknown).toMatchObject({ fact: null, unreadable: expect.stringContaining("status") });
    const broken = readEventBody(eventBody("subscription.updated", null));
    expect(broken?.unreadable).toEqual(expect.any(String));
    const amount = { totals: { total: "29.00", grand_total: "29.00" } };
    expect(readEventBody(eventBody("transaction.paid", transactionWire({ details: amount })))?.unreadable).toContain(
      "details.totals",
    );
  });

  test.each([
    ["nothing", new Uint8Array()],
    ["no JSON", bytes("{")],
    ["a list", bytes("[]")],
    ["a text", bytes('"evt"')],
    ["no event id", bytes('{"event_type":"transaction.paid","occurred_at":"2026-11-01T10:18:50Z","data":{}}')],
    ["no time", bytes('{"event_id":"evt_1","event_type":"transaction.paid","data":{}}')],
    ["letters that are none", new Uint8Array([0x7b, 0xff, 0x7d])],
    ["a deep hole", bytes(`${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`)],
  ])("%s is no event", (_, body) => {
    expect(readEventBody(body)).toBeNull();
  });

  test("keys that every object has are harmless", () => {
    const body = bytes(
      `{"event_id":"evt_1","event_type":"constructor","occurred_at":"2026-11-01T10:18:50Z","data":{"__proto__":{"a":1}}}`,
    );
    expect(readEventBody(body)).toMatchObject({ eventType: "constructor", fact: null, unreadable: null });
    expect(Object.hasOwn(Object.prototype, "a")).toBe(false);
  });
});
