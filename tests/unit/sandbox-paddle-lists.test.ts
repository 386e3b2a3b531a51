import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  CARDS,
  CATALOGUE,
  call,
  type House,
  PRICES,
  SECRET,
  spec,
  startHouse,
  subscribe,
} from "./sandbox-paddle-client.ts";

let house: House;
beforeAll(async () => {
  house = await startHouse();
});
afterAll(() => house.close());

/** Every call of the API that is only read, with what fills the marked parts of its path. */
async function readPaths(): Promise<[path: string, asked: string][]> {
  const { id, customer } = await subscribe(house);
  const { transaction } = await house.buy(PRICES.pack100, CARDS.good);
  const address = await house.paddle.addresses.create(customer, { countryCode: "GB", postalCode: "N1 1AA" });
  const { product_id } = (await call(house.url, "GET", `/prices/${PRICES.basic}`)).body.data;
  await house.paddle.adjustments.create({
    action: "refund",
    transactionId: transaction.id,
    reason: "no",
    type: "full",
  });
  await house.settle();
  const [notification] = await house.paddle.notifications.list().next();
  const filled: Record<string, string> = {
    product_id,
    price_id: PRICES.basic,
    customer_id: customer,
    address_id: address.id,
    transaction_id: transaction.id,
    subscription_id: id,
    notification_id: notification?.id ?? "",
    notification_setting_id: "ntfset_00000000000000000000000001",
  };
  const paths = [
    "/products",
    "/products/{product_id}",
    "/prices",
    "/prices/{price_id}",
    "/customers",
    "/customers/{customer_id}",
    "/customers/{customer_id}/addresses",
    "/customers/{customer_id}/addresses/{address_id}",
    "/transactions",
    "/transactions/{transaction_id}",
    "/transactions/{transaction_id}/invoice",
    "/subscriptions",
    "/subscriptions/{subscription_id}",
    "/subscriptions/{subscription_id}/update-payment-method-transaction",
    "/adjustments",
    "/events",
    "/event-types",
    "/notifications",
    "/notifications/{notification_id}",
    "/notifications/{notification_id}/logs",
    "/notification-settings",
    "/notification-settings/{notification_setting_id}",
  ];
  return paths.map((path) => [path, path.replace(/\{(\w+)\}/g, (_, name: string) => filled[name] ?? "")]);
}

describe("what can be read", () => {
  test("R-SRV-10 each answer has the shape of the official description", async () => {
    const wrong: string[] = [];
    for (const [path, asked] of await readPaths()) {
      const { status, body } = await call(house.url, "GET", asked);
      const verdict = spec.checkReply("GET", path, 200, body);
      if (status !== 200 || !verdict.ok) wrong.push(`${path}: ${status} ${verdict.ok ? "" : verdict.errors.join()}`);
    }
    expect(wrong).toEqual([]);
  });

  test("R-SRV-10 the SDK reads addresses, products with prices, a transaction for another card, previews", async () => {
    const { id, customer } = await subscribe(house);
    const address = await house.paddle.addresses.create(customer, { countryCode: "JP" });
    expect(await house.paddle.addresses.update(customer, address.id, { city: "Kyoto" })).toMatchObject({
      city: "Kyoto",
    });
    expect((await house.paddle.addresses.list(customer).next()).map((one) => one.countryCode)).toEqual(["JP", "US"]);
    const products = await house.paddle.products.list({ include: ["prices"] }).next();
    const prices = products.flatMap((product) => product.prices?.map((price) => price.id) ?? []);
    expect(new Set(prices)).toEqual(new Set(CATALOGUE.map(({ priceId }) => priceId)));
    const recurring = await house.paddle.prices.list({ recurring: true }).next();
    expect(recurring.map((price) => price.id).toSorted()).toEqual([PRICES.basic, PRICES.growth].toSorted());
    const change = await house.paddle.subscriptions.getPaymentMethodChangeTransaction(id);
    expect(change).toMatchObject({ origin: "subscription_payment_method_change", subscriptionId: id, status: "ready" });
    expect(change.details?.totals?.total).toBe("0");
    const preview = await house.paddle.transactions.preview({
      items: [{ priceId: PRICES.basic, quantity: 2, includeInTotals: true }],
      address: { countryCode: "US", postalCode: "10001" },
    });
    expect(preview.details.totals.total).toBe("5800");
    const mine = await house.paddle.subscriptions.list({ customerId: [customer], priceId: [PRICES.basic] }).next();
    expect(mine.map((one) => one.id)).toEqual([id]);
    const full = await house.paddle.subscriptions.get(id, { include: ["next_transaction"] });
    expect(full.nextTransaction?.details.totals.total).toBe("2900");
  });

  test("R-SRV-10 notifications are listed with their tries; a replay goes out again; the destination is known", async () => {
    await house.settle();
    const [last] = await house.paddle.notifications.list({ perPage: 1 }).next();
    expect(last).toMatchObject({ status: "delivered", timesAttempted: 1 });
    const logs = await house.paddle.notifications.getLogs(last?.id ?? "").next();
    expect(logs.map(({ responseCode }) => responseCode)).toEqual([200]);
    const from = house.receiver.received.length;
    await house.paddle.notifications.replay(last?.id ?? "");
    await house.settle();
    expect(house.receiver.received.slice(from).map(({ event }) => event.event_id)).toEqual([last?.payload?.eventId]);
    const [destination] = await house.paddle.notificationSettings.list();
    expect(destination).toMatchObject({ destination: house.receiver.url, endpointSecretKey: SECRET, active: true });
  });
});
