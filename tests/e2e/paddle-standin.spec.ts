import { expect, type FrameLocator } from "@playwright/test";
import type { Handle } from "#sandbox/kit/serve.ts";
import { PRICES, startHarness } from "../unit/sandbox-paddle-client.ts";
import { eventsOf, namesOf, openCheckout, startShop } from "./support/checkout-page.ts";
import { test } from "./support/test.ts";

let harness: Awaited<ReturnType<typeof startHarness>>;
let shop: Handle;

test.beforeAll(async () => {
  harness = await startHarness();
  shop = await startShop(harness.url, "test_client");
});
test.afterAll(async () => {
  await shop.close();
  await harness.close();
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

const fault = (scenario: string) => harness.control("POST", "/faults", { scenario });

test("R-PAY-04 a pack is paid: the events come in order, with the names that the client reads; Escape leaves the page as it was", async ({
  page,
}) => {
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
  const read = await harness.paddle.transactions.get(completed?.data.transaction_id ?? "");
  expect(read).toMatchObject({ status: "completed", origin: "web", customData: pack.customData });

  // The keyboard stays in the checkout, Escape leaves it, and the page is as it was.
  await openCheckout(page, shop.url, pack);
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

test("a forged completed event, one without payment, a lost response, a checkout that closes itself, and one opened by a link", async ({
  page,
}) => {
  const last = async () => (await eventsOf(page)).findLast(({ name }) => name === "checkout.completed");
  const statusOf = async (id = "") => (await harness.paddle.transactions.get(id)).status;
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

  // A link to a transaction opens its checkout by itself.
  const items = [{ price_id: PRICES.pack500, quantity: 1 }];
  const { id } = (await harness.control("POST", "/checkouts", { items, card: null })).body.transaction;
  await page.goto(`${shop.url}/?_ptxn=${id}`);
  const checkout = page.frameLocator('iframe[title="Checkout"]');
  await checkout.getByRole("textbox", { name: "Email" }).fill("linked@example.com");
  await checkout.getByRole("button", { name: "Continue" }).click();
  await payWith(checkout, "works");
  await expect(checkout.getByRole("heading", { name: "Payment complete" })).toBeVisible();
  expect((await harness.paddle.transactions.get(id)).status).toBe("completed");
});
