import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPayments } from "#lib/integrations/payments/client.ts";
import type { PaymentResult } from "#lib/integrations/payments/port.ts";
import {
  API_KEY,
  CARDS,
  type Harness,
  PREVIOUS_SECRET,
  PRICES,
  SECRET,
  startHarness,
} from "./sandbox-paddle-client.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ checkoutUrl: "https://seller.example/pricing" });
});
afterAll(() => harness.close());

const clientWith = (more = {}) =>
  createPayments({ apiKey: API_KEY, apiUrl: harness.url, webhookSecrets: [SECRET], ...more });
const okOf = <T>(answer: PaymentResult<T>): T => {
  if (answer.kind === "problem") throw new Error(`${answer.problem.kind}: ${answer.problem.detail}`);
  return answer.value;
};
const subscribe = async (price = PRICES.basic, card = CARDS.good) => {
  const { transaction } = await harness.buy(price, card);
  return { transaction, id: transaction.subscription_id ?? "", customer: transaction.customer_id };
};
/** Whether the stand-in has handled such a call. */
const logged = async (call: string): Promise<boolean> => {
  const answer = await fetch(`${harness.url}/__control/log`);
  const { requests }: { requests: { method: string; path: string }[] } = await answer.json();
  return requests.some(({ method, path }) => `${method} ${path}` === call);
};
const fault = (rule: Record<string, unknown>) => harness.control("POST", "/faults", rule);

describe("the client against the stand-in", () => {
  test("R-PAY-03 reads back a purchase as it was made", async () => {
    const { transaction } = await harness.buy(PRICES.pack100, CARDS.good);
    expect(okOf(await clientWith().getTransaction(transaction.id))).toMatchObject({
      status: "completed",
      origin: "web",
      items: [{ priceId: PRICES.pack100, quantity: 1 }],
      customData: { userId: "usr_1", purchaseRef: null },
      totalMinor: 1_350,
      currency: "USD",
      method: "Visa ending in 4242",
      failure: null,
      invoiceNumber: expect.stringMatching(/\d/),
    });
    const declined = await harness.buy(PRICES.pack100, CARDS.declined);
    const read = okOf(await clientWith().getTransaction(declined.transaction.id));
    expect([read.status, read.failure]).toEqual(["ready", "declined"]);
    expect(await clientWith().getTransaction(`txn_${"0".repeat(26)}`)).toMatchObject({
      problem: { kind: "not_found" },
    });
  });

  test("A-20 cancels, cancels again, undoes it twice, and ends it for good", async () => {
    const { id } = await subscribe();
    const client = clientWith();
    for (const _ of ["once", "again"]) {
      const canceled = okOf(await client.cancelSubscription(id, "period_end"));
      expect(canceled).toMatchObject({ status: "active", scheduledChange: { action: "cancel" } });
      expect(canceled.scheduledChange?.effectiveAt).toEqual(canceled.currentPeriod?.endsAt);
    }
    for (const _ of ["once", "again"]) {
      expect(okOf(await client.keepSubscription(id)).scheduledChange).toBeNull();
    }
    for (const _ of ["once", "again"]) {
      const ended = okOf(await client.cancelSubscription(id, "now"));
      expect([ended.status, ended.canceledAt]).toEqual(["canceled", expect.any(Date)]);
    }
    expect(okOf(await client.cancelSubscription(id, "period_end")).status).toBe("canceled");
    expect(await client.keepSubscription(id)).toMatchObject({ problem: { kind: "refused" } });
  });

  test("A-96 an upgrade is previewed, charged and effective immediately; a downgrade costs nothing now", async () => {
    const { id } = await subscribe();
    const client = clientWith();
    const preview = okOf(await client.previewPrice(id, PRICES.growth, "prorate"));
    expect(preview).toMatchObject({ currency: "USD", nextTotalMinor: 7_900 });
    expect(preview.dueNowMinor).toBeGreaterThan(0);
    expect(okOf(await client.changePrice(id, PRICES.growth, "prorate")).priceId).toBe(PRICES.growth);
    const down = okOf(await client.previewPrice(id, PRICES.basic, "free"));
    expect(down).toMatchObject({ dueNowMinor: 0, nextTotalMinor: 2_900 });
    expect(okOf(await client.changePrice(id, PRICES.basic, "free")).priceId).toBe(PRICES.basic);
  });

  test("A-96 a declined change leaves the old price", async () => {
    const { id } = await subscribe(PRICES.basic, CARDS.declinedLater);
    const changed = await clientWith().changePrice(id, PRICES.growth, "prorate");
    expect(changed).toMatchObject({ problem: { kind: "refused", code: "subscription_payment_declined" } });
    expect(okOf(await clientWith().getSubscription(id)).priceId).toBe(PRICES.basic);
  });

  test("the portal and an invoice lead to existing pages", async () => {
    const { id, customer, transaction } = await subscribe();
    const portal = okOf(await clientWith().portalUrl(customer, id));
    expect(await (await fetch(portal)).text()).toContain("Change card");
    const checkout = okOf(await clientWith().paymentMethodUrl(id));
    const named = okOf(await clientWith().getTransaction(new URL(checkout).searchParams.get("_ptxn") ?? ""));
    expect(named).toMatchObject({ subscriptionId: id, totalMinor: 0, status: "ready" });
    const invoice = await fetch(okOf(await clientWith().invoiceUrl(transaction.id)));
    expect(invoice.headers.get("content-type")).toBe("application/pdf");
    const { transaction: open } = await harness.buy(PRICES.pack100, CARDS.declined);
    expect(await clientWith().invoiceUrl(open.id)).toMatchObject({ problem: { kind: "refused" } });
  });

  test("events are listed without gaps and match the webhooks", async () => {
    const { transaction } = await harness.buy(PRICES.pack500, CARDS.good);
    await harness.settle();
    const first = okOf(await clientWith().listEvents(null));
    const at = Math.floor(first.length / 2);
    const rest = okOf(await clientWith().listEvents(first[at - 1]?.eventId ?? null));
    expect(rest.map(({ eventId }) => eventId)).toEqual(first.slice(at).map(({ eventId }) => eventId));
    expect(first.filter(({ unreadable }) => unreadable !== null)).toEqual([]);
    const events = first.filter(({ fact }) => fact?.kind === "transaction" && fact.transaction.id === transaction.id);
    const sent = harness.receiver.received.filter(({ event }) => event.data.id === transaction.id);
    expect(sent.map(({ body }) => clientWith().readEvent(new TextEncoder().encode(body)))).toEqual(events);
    expect(events.map(({ eventType }) => eventType)).toContain("transaction.completed");
  });

  test("refunds and chargebacks become facts", async () => {
    const { transaction } = await harness.buy(PRICES.pack100, CARDS.good);
    await harness.control("POST", "/chargebacks", { transaction_id: transaction.id });
    const events = okOf(await clientWith().listEvents(null));
    const facts = events.flatMap(({ fact }) => (fact?.kind === "adjustment" ? [fact.adjustment] : []));
    expect(facts).toContainEqual(
      expect.objectContaining({ action: "chargeback", transactionId: transaction.id, totalMinor: 1_350 }),
    );
  });

  test("a change whose response is lost reports unavailable but was made; the next attempt finds it done", async () => {
    const { id } = await subscribe();
    await fault({ scenario: "change-reply-lost", match: "POST /subscriptions/:id/cancel" });
    const lost = await clientWith().cancelSubscription(id, "period_end");
    expect(lost).toMatchObject({ kind: "problem", problem: { kind: "unavailable" } });
    expect(okOf(await clientWith().cancelSubscription(id, "period_end")).scheduledChange?.action).toBe("cancel");
    await fault({ match: "PATCH /subscriptions/:id", after: "creating", delayMs: 3_000 });
    const late = await clientWith({ timeoutMs: 1_000 }).keepSubscription(id);
    expect(late).toMatchObject({ problem: { kind: "unavailable", detail: "no answer in 1000 ms" } });
    const change = async () => okOf(await clientWith().getSubscription(id)).scheduledChange;
    await expect.poll(change, { timeout: 20_000 }).toBeNull();
    // An abandoned request ends before the stand-in does.
    await expect.poll(() => logged(`PATCH /subscriptions/${id}`), { timeout: 20_000 }).toBe(true);
  });

  test("a wrong key is the operator's problem, and its text does not reveal it", async () => {
    const answer = await clientWith({ apiKey: "pdl_sdbx_wrong" }).listPrices();
    expect(answer).toMatchObject({ problem: { kind: "refused", text: expect.stringContaining("set up") } });
    expect(JSON.stringify(answer)).not.toContain("pdl_sdbx_wrong");
  });
});

describe("the stand-in's webhooks", () => {
  const deliver = async (scenario: string | null) => {
    const before = harness.receiver.received.length;
    if (scenario !== null) await fault({ scenario, match: "WEBHOOK /transaction.completed" });
    const { transaction } = await harness.buy(PRICES.pack100, CARDS.good);
    await harness.settle();
    const mine = harness.receiver.received.slice(before);
    return mine.filter(({ event }) => event.event_type === "transaction.completed" && event.data.id === transaction.id);
  };
  const judge = async (scenario: string | null, secrets = [SECRET]) => {
    const [sent] = await deliver(scenario);
    if (!sent) throw new Error("No webhook came.");
    const { body, signature = null } = sent;
    const input = { body: new TextEncoder().encode(body), signature, now: new Date() };
    return clientWith({ webhookSecrets: secrets }).isAuthentic(input);
  };

  test.each([null, "webhook-two-signatures-first", "webhook-two-signatures-last"])(
    "authentic: %s",
    async (scenario) => {
      expect(await judge(scenario)).toBe(true);
    },
  );

  test.each([
    "webhook-stale",
    "webhook-future",
    "webhook-altered",
    "webhook-unsigned",
    "webhook-wrong-secret",
    "webhook-old-secret",
  ])("refused: %s", async (scenario) => {
    expect(await judge(scenario)).toBe(false);
  });

  test("the old secret counts while it is configured", async () => {
    expect(await judge("webhook-old-secret", [SECRET, PREVIOUS_SECRET])).toBe(true);
  });
});
