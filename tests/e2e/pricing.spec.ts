import { expect } from "@playwright/test";
import { NOTICE_MS } from "#components/ui/notice-texts.ts";
import {
  balanceOf,
  overlay,
  overlayGone,
  paddle,
  payWith,
  priceOf,
  read,
  salesTo,
  signInOn,
} from "./support/buying.ts";
import { holdTimers } from "./support/hold-timers.ts";
import { login } from "./support/person.ts";
import { action, banner, card, notice, openFor, red } from "./support/pricing-screen.ts";
import { failCall, fixtures } from "./support/quick.ts";
import { test } from "./support/test.ts";

const SUBSCRIPTION = "**/api/users/subscription/";

test("R-PRICE-01, R-PRICE-02, R-ROLE-06, R-ROUTE-15, A-04, A-05: a visitor sees the prices and signs in to pay by link; the provider's return pages claim and grant nothing", async ({
  page,
}) => {
  const who = await fixtures().user();
  const scripts: string[] = [];
  page.on("request", (request) => void (/paddle/.test(request.url()) && scripts.push(request.url())));
  const results = { "/upgrade-success": "Just paid?", "/upgrade-error": "Payment didn’t go through?" };
  const result = page.locator("[data-slot=pricing-result]");

  await test.step("prices without a login", async () => {
    await page.goto("/upgrade-success");
    await expect(page.getByText("you’ll see your new plan below")).toBeHidden();
    await expect(result.getByRole("link", { name: "Sign in" })).toBeVisible();
    await page.goto("/pricing");
    for (const [name, price] of Object.entries({ Free: "$0", Basic: "$29", Growth: "$49", Pro: "$79" })) {
      await expect(card(page, name)).toContainText(`${price} a month`);
    }
    await expect(page.getByText("Most popular")).toHaveCount(1);
    await expect(card(page, "Basic").getByText("Most popular")).toBeVisible();
    await expect(page.locator("[data-slot=pricing-panel]")).toBeHidden();
    await expect(card(page, "Free").getByRole("link", { name: "Start free" })).toHaveAttribute("href", "/register");
    await card(page, "Growth").getByRole("link", { name: "Upgrade to Growth" }).click();
    await page.waitForURL(/\/login\?next=%2Fpricing$/);
  });

  await test.step("a payment link leads through the login to its checkout", async () => {
    const { id } = await paddle().buy({ userId: "nobody-yet", email: who.email }, "plan:basic", { card: null });
    const link = `/pricing?_ptxn=${id}`;
    await page.goto(link);
    await expect(page.getByText("You have a payment to complete.")).toBeVisible();
    expect(scripts).toEqual([]);
    await result.getByRole("link", { name: "Sign in" }).click();
    await page.waitForURL((url) => url.searchParams.get("next") === link);
    await login(page, who, /\/pricing\?_ptxn=txn_/);
    const pay = overlay(page).getByRole("button", { name: "Subscribe for $29.00" });
    await expect(pay).toBeVisible({ timeout: 60_000 });
    await overlay(page).getByRole("button", { name: "Close checkout" }).click();
    await overlayGone(page);
    await expect(page).toHaveURL(/\/pricing$/);
    await expect(banner(page)).toContainText("Your plan: Free. 5 credits a month, at no cost.", { timeout: 30_000 });
    await expect(card(page, "Free").getByText("Current plan")).toBeVisible();
    await expect(action(page, "Growth")).toHaveText("Upgrade to Growth");
  });

  await test.step("return pages", async () => {
    for (const [path, words] of Object.entries(results)) {
      await page.goto(`${path}?plan=pro&transaction_id=txn_1`);
      await expect(result).toContainText(words);
      await expect(result.getByRole("link", { name: "Sign in" })).toBeHidden();
      await expect(banner(page)).toContainText("Your plan: Free.", { timeout: 30_000 });
    }
    const token = String(await page.evaluate(() => localStorage.getItem("accessToken")));
    const answer = await page.request.get("/api/users/subscription/", {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await answer.json()).toMatchObject({ status: "no_subscription" });
  });
});

test("R-GEN-02, R-PRICE-11, R-PRICE-12, R-PRICE-13, R-PRICE-14, R-NAV-09, A-98: from free to basic in the overlay, with the first card declined", async ({
  page,
}) => {
  await holdTimers(page, NOTICE_MS);
  const user = await signInOn(page, "free");
  await openFor(page, "Free");
  const sent = page.waitForRequest((request) => request.url().endsWith("/subscription/confirm/"), { timeout: 120_000 });
  await action(page, "Basic").click();
  await expect(overlay(page).getByRole("button", { name: "Subscribe for $29.00" })).toBeVisible({ timeout: 60_000 });
  await payWith(page, "is declined");
  await expect(overlay(page).getByRole("alert")).toContainText("Your card was declined.");
  await payWith(page, "asks for confirmation");
  await overlay(page).getByRole("button", { name: "Approve" }).click();
  await expect(notice(page)).toContainText(
    "Successfully upgraded to Basic! Your subscription will auto-renew monthly.",
    { timeout: 60_000 },
  );
  await overlayGone(page);
  await expect(banner(page)).toContainText("Your plan: Basic. It renews on");
  await expect(card(page, "Basic").getByText("Current plan")).toBeVisible();
  await expect(banner(page)).toBeFocused();
  await expect(action(page, "Growth")).toHaveText("Upgrade to Growth");
  await expect(card(page, "Free").getByRole("link", { name: "Cancel in Settings" })).toBeVisible();

  const [sale] = await salesTo(page, user);
  const me = await read(page, user, "/api/users/me/");
  expect(sale).toMatchObject({
    status: "completed",
    priceId: priceOf("plan:basic"),
    total: "2900",
    customData: { plan_id: "basic", user_id: me.id, purchase_ref: expect.stringMatching(/^pur_/) },
  });
  expect((await sent).postDataJSON()).toEqual({
    plan: "basic",
    price: 29,
    transactionId: sale?.id,
    subscriptionId: null,
    customerId: expect.stringMatching(/^ctm_/),
    cancelUrl: null,
    updateUrl: null,
  });
  expect(await balanceOf(page, user)).toBe(400);
  await page.getByRole("link", { name: "Dashboard" }).click();
  await expect(page.getByTestId("credit-panel").filter({ visible: true })).toContainText("400", { timeout: 30_000 });
  await expect(page.getByRole("link", { name: "Upgrade to Premium" })).toHaveCount(0);
});

test("A-96 a paid plan is changed, not bought twice: the amount due is shown first, even in an outdated tab", async ({
  page,
  context,
}) => {
  await holdTimers(page, NOTICE_MS);
  await signInOn(page, "free");
  const behind = await context.newPage();
  await openFor(behind, "Free");
  await openFor(page, "Free");
  await action(page, "Basic").click();
  await payWith(page, "works");
  await expect(banner(page)).toContainText("Your plan: Basic.", { timeout: 60_000 });
  await failCall(behind, SUBSCRIPTION, 500, 100);
  await action(behind, "Pro").click();
  await expect(red(behind, "You already have a paid plan.")).toBeVisible({ timeout: 60_000 });
  await expect(behind.locator('iframe[title="Checkout"]')).toHaveCount(0);
  await action(page, "Growth").click();
  const dialog = page.getByRole("dialog", { name: "Change to the Growth plan?" });
  await expect(dialog.getByText("Due now")).toBeVisible({ timeout: 30_000 });
  await dialog.getByRole("button", { name: "Keep my plan" }).click();
  await expect(dialog).toBeHidden();
  await action(page, "Growth").click();
  await dialog.getByRole("button", { name: "Change to Growth" }).click({ timeout: 30_000 });
  await expect(notice(page)).toContainText("Successfully upgraded to Growth!", { timeout: 60_000 });
  await expect(banner(page)).toContainText("Your plan: Growth.");
  await expect(banner(page)).toBeFocused();
});
