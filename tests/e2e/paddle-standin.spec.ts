import { expect, type FrameLocator } from "@playwright/test";
import type { Handle } from "#sandbox/kit/serve.ts";
import { PRICES, startHouse } from "../unit/sandbox-paddle-client.ts";
import { eventsOf, namesOf, openCheckout, startShop } from "./support/checkout-page.ts";
import { beAccessible } from "./support/looks.ts";
import { test } from "./support/test.ts";

let house: Awaited<ReturnType<typeof startHouse>>;
let shop: Handle;

test.beforeAll(async () => {
  house = await startHouse();
  shop = await startShop(house.url, "test_client");
});
test.afterAll(async () => {
  await shop.close();
  await house.close();
});

const pack = {
  items: [{ priceId: PRICES.pack100, quantity: 1 }],
  customer: { email: "buyer@example.com" },
  customData: { credits: 100, plan_type: "basic" },
};

/** Fills in a test card and presses the button. */
const payWith = async (checkout: FrameLocator, card: string): Promise<void> => {
  await checkout.getByRole("button", { name: `Use card that ${card}` }).click();
  await checkout.getByRole("button", { name: /^(Pay|Subscribe)/ }).click();
};

const fault = (scenario: string) => house.control("POST", "/faults", { scenario });

test("R-PAY-04 a pack is paid: the events come in order, with the names that the client reads", async ({ page }) => {
  const checkout = await openCheckout(page, shop.url, pack);
  await expect(checkout.getByText("For buyer@example.com")).toBeVisible();
  await payWith(checkout, "works");
  await expect(checkout.getByRole("heading", { name: "Payment complete" })).toBeVisible();
  await checkout.getByRole("button", { name: "Close", exact: true }).click();
  await expect(page.locator("iframe")).toHaveCount(0);
  expect(await namesOf(page)).toEqual(["loaded", "customer.created", "payment.initiated", "completed", "closed"]);
  const completed = (await eventsOf(page)).find(({ name }) => name === "checkout.completed");
  expect(completed?.data).toMatchObject({
    status: "completed",
    totals: { subtotal: 13.5, discount: 0, tax: 0, total: 13.5, credit: 0, balance: 0 },
    custom_data: { credits: 100, plan_type: "basic" },
    items: [{ price_id: PRICES.pack100, quantity: 1, product: { id: expect.stringMatching(/^pro_/) } }],
    customer: { email: "buyer@example.com" },
    payment: { method_details: { type: "card", card: { type: "visa", last4: "4242" } } },
    settings: { display_mode: "overlay", theme: "light" },
  });
  expect(completed?.data.product_id).toBe(completed?.data.items[0]?.product.id);
  const read = await house.paddle.transactions.get(completed?.data.transaction_id ?? "");
  expect(read).toMatchObject({ status: "completed", origin: "web", customData: pack.customData });
});

test("R-BUY a declined card says so and may be tried again; 3-D Secure asks, refused and approved", async ({
  page,
}) => {
  const checkout = await openCheckout(page, shop.url, pack);
  await payWith(checkout, "is declined");
  await expect(checkout.getByRole("alert")).toContainText("Your card was declined.");
  await payWith(checkout, "asks your bank");
  await checkout.getByRole("button", { name: "Refuse" }).click();
  await expect(checkout.getByRole("alert")).toContainText("Your bank did not confirm the payment.");
  await payWith(checkout, "asks your bank");
  await checkout.getByRole("button", { name: "Approve" }).click();
  await expect(checkout.getByRole("heading", { name: "Payment complete" })).toBeVisible();
  const begun = "payment.initiated";
  await expect
    .poll(() => namesOf(page))
    .toEqual([
      ...["loaded", "customer.created"],
      ...[begun, "payment.failed", begun, "payment.failed", begun, "completed"],
    ]);
});

test("without an e-mail the checkout asks for it first, and for a card's fields by name", async ({ page }) => {
  const checkout = await openCheckout(page, shop.url, { items: [{ priceId: PRICES.basic }] });
  await checkout.getByRole("textbox", { name: "Email" }).fill("no address");
  await checkout.getByRole("button", { name: "Continue" }).click();
  await expect(checkout.getByText("An address like name@example.com")).toBeVisible();
  await checkout.getByRole("textbox", { name: "Email" }).fill("new@example.com");
  await checkout.getByRole("combobox", { name: "Country" }).selectOption("GB");
  await checkout.getByRole("button", { name: "Continue" }).click();
  await checkout.getByRole("button", { name: /^Subscribe for £/ }).click();
  await expect(checkout.getByText("Check the card number")).toBeVisible();
  await expect(checkout.getByRole("textbox", { name: "Card number" })).toBeFocused();
  await checkout.getByRole("textbox", { name: "Card number" }).fill("4242424242424242");
  await checkout.getByRole("textbox", { name: "Expiry date" }).fill("1/40");
  await checkout.getByRole("textbox", { name: "Security code" }).fill("100");
  await checkout.getByRole("textbox", { name: "Name on card" }).fill("New <b>Buyer</b>");
  await checkout.getByRole("button", { name: /^Subscribe for £/ }).click();
  await expect(checkout.getByRole("heading", { name: "Payment complete" })).toBeVisible();
  const events = await eventsOf(page);
  expect(events.map(({ name }) => name)).toContain("checkout.customer.created");
  expect(events[0]?.data).toMatchObject({ status: "draft", customer: {} });
});

test("the keyboard stays in the checkout, Escape leaves it, and the page is as it was", async ({ page }) => {
  const checkout = await openCheckout(page, shop.url, pack);
  await expect(checkout.getByRole("textbox", { name: "Card number" })).toBeFocused();
  for (let step = 0; step < 14; step += 1) await page.keyboard.press("Tab");
  await expect(checkout.locator(":focus")).toHaveCount(1);
  await page.keyboard.press("Shift+Tab");
  await expect(checkout.locator(":focus")).toHaveCount(1);
  await expect(page.locator("main")).toHaveAttribute("inert", "");
  await page.keyboard.press("Escape");
  await expect(page.locator("iframe")).toHaveCount(0);
  await expect(page.locator("main")).not.toHaveAttribute("inert", "");
  await expect(page.getByRole("button", { name: "Before" })).toBeFocused();
  expect(await namesOf(page)).toEqual(["loaded", "customer.created", "closed"]);
});

test("a forged completed event, one without payment, a lost answer and a checkout that closes itself", async ({
  page,
}) => {
  const last = async () => (await eventsOf(page)).findLast(({ name }) => name === "checkout.completed");
  const statusOf = async (id = "") => (await house.paddle.transactions.get(id)).status;
  await fault("checkout-completed-forged");
  await payWith(await openCheckout(page, shop.url, pack), "works");
  await expect
    .poll(last)
    .toMatchObject({ data: { custom_data: { credits: 1_000_000 }, totals: { total: 1_000_000 } } });
  expect(await statusOf((await last())?.data.transaction_id)).toBe("completed");

  await fault("checkout-completed-unpaid");
  await payWith(await openCheckout(page, shop.url, pack), "works");
  await expect.poll(async () => (await last())?.data.status).toBe("completed");
  expect(await statusOf((await last())?.data.transaction_id)).toBe("ready");

  await fault("checkout-answer-lost");
  const lost = await openCheckout(page, shop.url, pack);
  await payWith(lost, "works");
  await expect(lost.getByRole("heading", { name: "Something went wrong" })).toBeVisible();
  await lost.getByRole("button", { name: "Try again" }).click();
  await expect(lost.getByRole("heading", { name: "Payment complete" })).toBeVisible();
  await expect
    .poll(() => namesOf(page))
    .toEqual([...["loaded", "customer.created", "payment.initiated", "payment.error", "completed"]]);

  await fault("checkout-closes-itself");
  await payWith(await openCheckout(page, shop.url, pack), "works");
  await expect.poll(() => namesOf(page)).toEqual(["loaded", "customer.created", "payment.initiated", "closed"]);
  const [opened] = await eventsOf(page);
  expect(await statusOf(opened?.data.transaction_id)).toBe("completed");
});

test("checkout.error for an unknown price, a wrong token and a stand-in that refuses", async ({ page }) => {
  const errors = async () => (await eventsOf(page)).filter(({ name }) => name === "checkout.error");
  const unknown = { ...pack, items: [{ priceId: `pri_${"z".repeat(26)}`, quantity: 1 }] };
  const checkout = await openCheckout(page, shop.url, unknown);
  await expect(checkout.getByRole("alert")).toBeVisible();
  await openCheckout(page, `${shop.url}/?token=test_other`, pack);
  await expect.poll(errors).toMatchObject([{ code: "forbidden" }]);
  await fault("checkout-error");
  await openCheckout(page, shop.url, pack);
  await expect.poll(errors).toMatchObject([{ code: "bad_request" }]);
});

test("prices are previewed for the visitor's country, in the currency's own form", async ({ page }) => {
  await page.goto(shop.url);
  await page.locator("html[data-ready]").waitFor();
  const preview = await page.evaluate(
    (priceId) =>
      Reflect.get(window, "paddle").PricePreview({
        items: [{ priceId, quantity: 1 }],
        address: { countryCode: "DE" },
      }),
    PRICES.basic,
  );
  expect(preview.data).toMatchObject({
    currencyCode: "EUR",
    address: { countryCode: "DE" },
    details: { lineItems: [{ price: { id: PRICES.basic }, formattedTotals: { total: expect.stringContaining("€") } }] },
  });
});

test("messages of another window change nothing", async ({ page }) => {
  const checkout = await openCheckout(page, shop.url, pack);
  await expect(checkout.getByRole("textbox", { name: "Card number" })).toBeVisible();
  await page.evaluate(() => {
    const forged = { kind: "event", event: { name: "checkout.completed", data: { transaction_id: "txn_forged" } } };
    window.postMessage(forged, "*");
    window.postMessage({ kind: "close" }, "*");
  });
  await checkout.getByRole("button", { name: "Close checkout" }).click();
  await expect.poll(() => namesOf(page)).toEqual(["loaded", "customer.created", "closed"]);
});

test("a link to a transaction opens its checkout by itself", async ({ page }) => {
  const { id } = await house.paddle.transactions.create({ items: [{ priceId: PRICES.pack500, quantity: 1 }] });
  await page.goto(`${shop.url}/?_ptxn=${id}`);
  const checkout = page.frameLocator('iframe[title="Checkout"]');
  await checkout.getByRole("textbox", { name: "Email" }).fill("linked@example.com");
  await checkout.getByRole("button", { name: "Continue" }).click();
  await payWith(checkout, "works");
  await expect(checkout.getByRole("heading", { name: "Payment complete" })).toBeVisible();
  expect((await house.paddle.transactions.get(id)).status).toBe("completed");
});

test("items change while it is open, and the page goes on to the address it named", async ({ page }) => {
  const settings = { theme: "dark", successUrl: `${shop.url}/?bought=1` };
  const checkout = await openCheckout(page, shop.url, { ...pack, settings });
  await expect(checkout.getByRole("button", { name: "Pay $13.50" })).toBeVisible();
  await page.evaluate((priceId) => {
    Reflect.get(window, "paddle").Checkout.updateItems([{ priceId, quantity: 2 }]);
  }, PRICES.pack100);
  await expect(checkout.getByRole("button", { name: "Pay $27.00" })).toBeVisible();
  await expect.poll(async () => (await eventsOf(page))[2]?.name).toBe("checkout.items.updated");
  const [loaded, , updated] = await eventsOf(page);
  expect(updated).toMatchObject({
    name: "checkout.items.updated",
    data: { id: loaded?.data.id, totals: { total: 27 } },
  });
  await payWith(checkout, "works");
  await page.waitForURL(/\?bought=1$/);
});

test("checkout, portal and overview can be used by everybody, by day and by night", async ({ page }) => {
  const { transaction } = await house.buy(PRICES.basic, "4242 4242 4242 4242");
  const id = transaction.subscription_id ?? "";
  const { urls } = await house.paddle.customerPortalSessions.create(transaction.customer_id, [id]);
  const { updateSubscriptionPaymentMethod: card = "", cancelSubscription: cancel = "" } = urls.subscriptions[0] ?? {};
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width: 390, height: 844 });
    for (const path of [house.url, urls.general.overview, card, cancel]) {
      await page.goto(path);
      await beAccessible(page, `${theme} ${path}`);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect([path, width]).toEqual([path, 390]);
    }
    const checkout = await openCheckout(page, shop.url, { ...pack, settings: { theme } });
    await payWith(checkout, "is declined");
    await expect(checkout.getByRole("alert")).toBeVisible();
    await beAccessible(page, `${theme} checkout`);
  }
});
