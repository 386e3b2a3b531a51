import { expect, type Request } from "@playwright/test";
import { balance, button, openPack, openScreen, pack, red, row } from "./support/buy-screen.ts";
import { balanceOf, overlay, overlayGone, payWith, salesTo, signInOn } from "./support/buying.ts";
import { holdCall } from "./support/hold-call.ts";
import { breakCall } from "./support/quick.ts";
import { test } from "./support/test.ts";

const PURCHASE = "/api/users/credits/purchase/";
const CHECKOUT = "/api/users/checkout/";
const SUBSCRIPTION = "/api/users/subscription/";

test("R-PAY-03, A-58: a completed event that names more than was paid for brings what was paid for", async ({
  page,
}) => {
  const user = await signInOn(page, "free");
  await openScreen(page);
  await page.route(/\/checkout\/[^/]+\/pay$/, async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    for (const event of body.events) {
      if (event.data) Object.assign(event.data, { custom_data: { credits: 9_999 }, totals: { total: 9_999 } });
    }
    await route.fulfill({ response: answer, json: body });
  });
  await openPack(page, 100);
  await payWith(page, "works");
  await expect(page.getByText("Successfully purchased 100 credits!")).toBeVisible({ timeout: 60_000 });
  expect(await balanceOf(page, user)).toBe(105);
});

test("R-BUY-21, R-PAY-03: a completed event without a payment brings nothing, and says whom to ask", async ({
  page,
}) => {
  const user = await signInOn(page, "free");
  await openScreen(page);
  await page.route(/\/checkout\/[^/]+\/pay$/, (route) => {
    const id = /che_[a-z\d]+/.exec(route.request().url())?.[0].replace("che_", "txn_");
    const data = { transaction_id: id, custom_data: { credits: 3_000 }, totals: { total: 180 } };
    return route.fulfill({ json: { html: "", events: [{ name: "checkout.completed", data }] } });
  });
  await openPack(page, 3000);
  await payWith(page, "works");
  await expect(red(page)).toHaveText("Failed to confirm purchase. Please contact support.", { timeout: 30_000 });
  await overlayGone(page);
  await expect(button(page)).toHaveText("Purchase Credits");
  expect(await balanceOf(page, user)).toBe(5);
});

test("R-BUY-12, R-BUY-23, R-ERR-28: a blocked script is said on pressing, and tried again by the next press", async ({
  page,
}) => {
  await signInOn(page, "free");
  await page.route("**/paddle.js", (route) => route.abort());
  await openScreen(page);
  await pack(page, 100).check();
  await button(page).click();
  await expect(red(page)).toHaveText("Payment system is not ready. Please try again.");
  await expect(button(page)).toHaveText("Purchase Credits");
  await page.unroute("**/paddle.js");
  await openPack(page, 100);
  await expect(red(page)).toHaveCount(0);
});

test("R-BUY-13, R-BUY-14: an unknown address and a missing price id are said, and nothing is opened", async ({
  page,
}) => {
  await signInOn(page, "free");
  await page.route("**/api/users/me/", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), email: "" } });
  });
  const me = page.waitForResponse("**/api/users/me/");
  await openScreen(page);
  await me;
  await pack(page, 100).check();
  await expect(async () => {
    await button(page).click();
    await expect(red(page)).toHaveText("User information is missing. Please refresh or contact support.", {
      timeout: 2_000,
    });
  }).toPass({ timeout: 30_000 });
  await page.unroute("**/api/users/me/");
  await page.route("**/api/users/plans/", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), packs: [] } });
  });
  const plans = page.waitForResponse("**/api/users/plans/");
  await openScreen(page);
  await plans;
  await pack(page, 100).check();
  await expect(async () => {
    await button(page).click();
    await expect(red(page)).toHaveText("Price ID not found for this credit package and plan", { timeout: 2_000 });
  }).toPass({ timeout: 30_000 });
});

test("R-BUY-15, R-BUY-16, A-23: without the subscription the default plan is shown; the price that is charged is looked at first", async ({
  page,
}) => {
  const user = await signInOn(page, "free");
  await breakCall(page, `**${SUBSCRIPTION}`, 500, 100);
  await openScreen(page);
  await expect(red(page)).toHaveText("Failed to fetch subscription data");
  await expect(row(page, 100)).toContainText("$5.00");
  await expect(page.getByText(/credits per billing cycle/)).toHaveCount(0);
  await pack(page, 100).check();
  await button(page).click();
  await expect(page.getByText("These are the prices of your plan, Free.")).toBeVisible();
  await expect(row(page, 100)).toContainText("$6.00");
  await expect(page.locator('iframe[title="Checkout"]')).toHaveCount(0);
  await button(page).click();
  await expect(overlay(page).getByRole("button", { name: "Pay $6.00" })).toBeVisible({ timeout: 60_000 });
  expect((await salesTo(page, user)).map(({ total }) => total)).toEqual(["600"]);
  await page.unroute(`**${SUBSCRIPTION}`);
  await page.route(`**${SUBSCRIPTION}`, (route) => route.fulfill({ status: 404, json: { error: "Not found." } }));
  await openScreen(page);
  await expect(row(page, 100)).toContainText("$5.00");
  await expect(red(page)).toHaveCount(0);
});

test("R-BUY-21, R-BUY-23, R-ERR-28: a call that fails, a checkout that fails, a confirmation that fails: each is said, each can be tried again", async ({
  page,
}) => {
  const user = await signInOn(page, "free");
  await openScreen(page);
  await breakCall(page, `**${CHECKOUT}`);
  await pack(page, 100).check();
  await button(page).click();
  await expect(red(page)).toHaveText("Failed to process payment");
  await page.route(/\/checkout\/open$/, (route) => route.abort(), { times: 1 });
  await button(page).click();
  await expect(red(page)).toHaveText("Failed to process payment", { timeout: 60_000 });
  await overlayGone(page);
  await breakCall(page, `**${PURCHASE}`, 500, 3);
  await openPack(page, 100);
  await payWith(page, "works");
  await expect(red(page)).toHaveText("Failed to confirm purchase. Please contact support.", { timeout: 30_000 });
  await expect(button(page)).toHaveText("Purchase Credits");
  // It was paid for all the same, and the provider's message brings it.
  await expect(balance(page)).toHaveText("105", { timeout: 60_000 });
  expect(await balanceOf(page, user)).toBe(105);
});

test("R-BUY-20, R-BUY-22: after a checkout that goes without a word the balance is read again", async ({ page }) => {
  await signInOn(page, "free");
  await openScreen(page);
  await page.route(/\/checkout\/[^/]+\/pay$/, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), events: [], close: true } });
  });
  await openPack(page, 100);
  const isCredits = (request: Request) => new URL(request.url()).pathname === "/api/users/credits/";
  const asked = page.waitForRequest(isCredits, { timeout: 120_000 });
  await payWith(page, "works");
  await overlayGone(page);
  await asked;
  await expect(button(page)).toHaveText("Purchase Credits");
  await expect(balance(page)).toHaveText("105", { timeout: 60_000 });
});

test("a payment that has not settled yet is asked about again until it has", async ({ page }) => {
  await signInOn(page, "free");
  await openScreen(page);
  const pending = { success: false, status: "pending", credits: 100, available_credits: 5, message: "" };
  await page.route(`**${PURCHASE}`, (route) => route.fulfill({ json: pending }), { times: 2 });
  await openPack(page, 100);
  await payWith(page, "works");
  await expect(page.getByText("Successfully purchased 100 credits!")).toBeVisible({ timeout: 60_000 });
});

test("R-BUY-17 while the purchase is written down the packs are locked and the button says so", async ({ page }) => {
  await signInOn(page, "free");
  await openScreen(page);
  const held = await holdCall(page, `**${CHECKOUT}`);
  await pack(page, 100).check();
  await button(page).click();
  await expect(button(page)).toHaveText("Processing...");
  await expect(pack(page, 300)).toBeDisabled();
  held.release();
  await expect(overlay(page).getByRole("heading", { name: "Payment" })).toBeVisible({ timeout: 60_000 });
});
