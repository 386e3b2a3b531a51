import { expect, type Page } from "@playwright/test";
import { NOTICE_MS } from "#lib/features/identity/constants.ts";
import { overlay, overlayGone, payWith, read, signInOn } from "./support/buying.ts";
import { holdCall } from "./support/hold-call.ts";
import { holdTimers } from "./support/hold-timers.ts";
import { action, banner, card, notice, openFor, red } from "./support/pricing-screen.ts";
import { breakCall, signIn } from "./support/quick.ts";
import { afterEffects, test } from "./support/test.ts";

const ME = "**/api/users/me/";
const SUBSCRIPTION = "**/api/users/subscription/";
const CONFIRM = "**/api/users/subscription/confirm/";
const CHECKOUT = "**/api/users/checkout/";
const CHANGE = "**/api/users/subscription/change/";
const PLANS = "**/api/users/plans/";
const SCRIPT = "**/paddle.js";

/** Nothing is sold, because something may be paid already. */
const expectNothingSold = async (page: Page): Promise<void> => {
  for (const name of ["Basic", "Growth", "Pro"]) await expect(card(page, name)).toContainText("Payment under way");
};

test("R-PRICE-15, R-PRICE-16, R-PRICE-19: a check, a subscription and an address that cannot be read", async ({
  page,
}) => {
  await signIn(page);
  await breakCall(page, ME, 500);
  await page.goto("/pricing");
  await expect(red(page, "Failed to verify authentication status")).toBeVisible({ timeout: 30_000 });
  // Pressed once every call has answered: a banner that comes between aim and press moves the cards below it.
  await expect(banner(page)).toContainText("Your plan: Free.", { timeout: 30_000 });
  await action(page, "Basic").click();
  await expect(red(page, "Customer information is missing. Please refresh or contact support.")).toBeVisible();
  await breakCall(page, SUBSCRIPTION, 500);
  await page.reload();
  await expect(red(page, "Failed to fetch subscription status")).toBeVisible({ timeout: 30_000 });
});

test("R-PRICE-10 without a subscription (404) no error is shown, and a plan can be bought", async ({ page }) => {
  await signIn(page);
  await page.route(SUBSCRIPTION, (route) => route.fulfill({ status: 404, json: { error: "Not found." } }));
  await page.goto("/pricing");
  await action(page, "Pro").click();
  await expect(overlay(page).getByRole("button", { name: "Subscribe for $79.00" })).toBeVisible({ timeout: 60_000 });
  await expect(page.locator(".banner-failed")).toHaveCount(0);
});

test("R-PRICE-09 a dead login is nobody: no error, and pressing leads to the login", async ({ page }) => {
  await page.goto("/icon.svg");
  await page.evaluate(() => localStorage.setItem("accessToken", "dead"));
  await page.goto("/pricing");
  await expect(card(page, "Basic").getByRole("link", { name: "Upgrade to Basic" })).toBeVisible({ timeout: 30_000 });
  await expect(page.locator(".banner-failed")).toHaveCount(0);
  await expect(page.getByRole("banner").getByRole("link", { name: "Sign in" })).toBeVisible();
  await card(page, "Basic").getByRole("link", { name: "Upgrade to Basic" }).click();
  await page.waitForURL(/\/login\?next=%2Fpricing$/);
});

test("R-PRICE-17, R-PRICE-18: a blocked script is said at once and on pressing; once it comes, the next press opens", async ({
  page,
}) => {
  await signIn(page);
  await page.route(SCRIPT, (route) => route.abort());
  await openFor(page, "Free");
  await expect(red(page, "Failed to initialize payment system")).toBeVisible();
  await action(page, "Basic").click();
  await expect(red(page, "Payment system is not ready. Please try again.")).toBeVisible();
  await page.unroute(SCRIPT);
  await action(page, "Basic").click();
  await expect(overlay(page).getByRole("heading", { name: "Payment" })).toBeVisible({ timeout: 60_000 });
  await expect(page.locator(".banner-failed")).toHaveCount(0);
});

test("R-PRICE-20, R-PRICE-21: what does not begin and what is not confirmed; the plan comes all the same", async ({
  page,
}) => {
  const user = await signIn(page);
  await openFor(page, "Free");
  await breakCall(page, CHECKOUT);
  await action(page, "Basic").click();
  await expect(red(page, "Failed to initiate upgrade. Please try again.")).toBeVisible();
  await breakCall(page, CONFIRM, 500, 3);
  await action(page, "Basic").click();
  await payWith(page, "works");
  await expect(red(page, "Failed to confirm subscription. Please contact support.")).toBeVisible({ timeout: 60_000 });
  await overlayGone(page);
  await expect
    .poll(async () => Object((await read(page, user, "/api/users/subscription/")).plan).slug, { timeout: 60_000 })
    .toBe("basic");
  await page.reload();
  await expect(banner(page)).toContainText("Your plan: Basic.", { timeout: 30_000 });
});

test("R-PAY-03 a completed event without a payment gives no plan", async ({ page }) => {
  const user = await signInOn(page, "free");
  await openFor(page, "Free");
  await page.route(/\/checkout\/[^/]+\/pay$/, (route) => {
    const id = /che_[a-z\d]+/.exec(route.request().url())?.[0].replace("che_", "txn_");
    const data = { transaction_id: id, custom_data: { plan_id: "pro" }, totals: { total: 79 } };
    return route.fulfill({ json: { html: "", events: [{ name: "checkout.completed", data }] } });
  });
  await action(page, "Pro").click();
  await payWith(page, "works");
  await expect(red(page, "Failed to confirm subscription. Please contact support.")).toBeVisible({ timeout: 60_000 });
  expect(Object((await read(page, user, "/api/users/subscription/")).plan).slug).toBe("free");
});

for (const [what, path] of Object.entries({ "who looks": ME, "what is sold": PLANS })) {
  test(`R-PRICE-11, R-BUY-17: a press before it is known ${what} waits visibly, and then opens`, async ({ page }) => {
    await signIn(page);
    const held = await holdCall(page, path);
    await openFor(page, "Free");
    await action(page, "Basic").click();
    await expect(action(page, "Basic")).toHaveAttribute("aria-busy", "true");
    await expect(action(page, "Basic")).toHaveText("Processing...");
    await expect(action(page, "Growth")).toHaveText("Upgrade to Growth");
    await expect(page.locator(".banner-failed")).toHaveCount(0);
    held.release();
    await expect(overlay(page).getByRole("heading", { name: "Payment" })).toBeVisible({ timeout: 60_000 });
    await expect(page.locator(".banner-failed")).toHaveCount(0);
  });
}

test("R-PRICE-13, R-PAY-03: paid in a checkout that then goes without a word: no second plan is sold, and the plan comes", async ({
  page,
}) => {
  await holdTimers(page, NOTICE_MS);
  const user = await signInOn(page, "free");
  await openFor(page, "Free");
  await page.route(/\/checkout\/[^/]+\/pay$/, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), events: [], close: true } });
  });
  const held = await holdCall(page, SUBSCRIPTION);
  await action(page, "Basic").click();
  await payWith(page, "works");
  await overlayGone(page);
  await expect(page.getByText("Looking whether your payment went through")).toBeVisible();
  await expectNothingSold(page);
  await expect
    .poll(async () => Object((await read(page, user, "/api/users/subscription/")).plan).slug, { timeout: 60_000 })
    .toBe("basic");
  held.release();
  await expect(banner(page)).toContainText("Your plan: Basic.", { timeout: 30_000 });
  await expect(notice(page)).toContainText("Successfully upgraded to Basic!");
  await expect(banner(page)).toBeFocused();
});

test("R-PRICE-13 a payment that has not settled yet is looked for until it has, also after a call that failed", async ({
  page,
}) => {
  test.setTimeout(240_000);
  const user = await signInOn(page, "free");
  await openFor(page, "Free");
  const free = await read(page, user, "/api/users/subscription/");
  await page.route(CONFIRM, (route) => route.fulfill({ json: { ...free, confirmation: "pending" } }));
  const held = await holdCall(page, SUBSCRIPTION);
  await breakCall(page, SUBSCRIPTION, 500);
  await action(page, "Basic").click();
  await payWith(page, "works");
  await expect(page.getByText("Your payment went through.")).toBeVisible({ timeout: 120_000 });
  await expectNothingSold(page);
  await expect.poll(held.count, { timeout: 60_000 }).toBe(1);
  held.release();
  await expect(banner(page)).toContainText("Your plan: Basic.", { timeout: 60_000 });
});

test("A-96 a refused change offers no second try and no kept plan", async ({ page }) => {
  await signInOn(page, "basic");
  await openFor(page, "Basic");
  const text = "Your plan is set to end. Keep it first, in Settings, then change it.";
  await page.route(CHANGE, (route) => route.fulfill({ status: 409, json: { error: text } }));
  await action(page, "Growth").click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("alert")).toHaveText(text, { timeout: 30_000 });
  await expect(dialog.getByRole("link", { name: "Go to Settings" })).toBeVisible();
  expect(await dialog.getByRole("button").allTextContents()).toEqual(["Close"]);
});

test("A-96 a change that is being charged cannot be waved away, and is told also when its dialog was closed", async ({
  page,
}) => {
  await holdTimers(page, NOTICE_MS);
  await signInOn(page, "basic");
  await openFor(page, "Basic");
  const { promise: gate, resolve: letGo } = Promise.withResolvers<void>();
  await page.route(CHANGE, async (route) => {
    const isPreview = route.request().postDataJSON().preview === true;
    if (!isPreview) await gate;
    const answer = await route.fetch();
    const { subscription, ...more } = await answer.json();
    const json = isPreview
      ? { subscription, ...more }
      : { ...more, subscription: { ...subscription, confirmation: "pending" } };
    await route.fulfill({ response: answer, json });
  });
  const held = await holdCall(page, SUBSCRIPTION);
  await action(page, "Growth").click();
  const dialog = page.getByRole("dialog");
  const change = dialog.getByRole("button", { name: "Change to Growth" });
  await change.click({ timeout: 30_000 });
  await expect(change).toHaveAttribute("aria-busy", "true");
  await expect(dialog.getByRole("button")).toHaveCount(1);
  await afterEffects(page);
  await page.keyboard.press("Escape");
  await expect(change).toHaveAttribute("aria-busy", "true");
  letGo();
  await expect(dialog.getByText("Paid. Your plan changes in a moment")).toBeVisible({ timeout: 60_000 });
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect(dialog).toHaveCount(0);
  held.release();
  await expect(notice(page)).toContainText("Successfully upgraded to Growth!", { timeout: 60_000 });
  await expect(banner(page)).toContainText("Your plan: Growth.");
});
