import { expect } from "@playwright/test";
import { NOTICE_MS } from "#lib/features/identity/constants.ts";
import { controlPaddle } from "#tests/support/paddle.ts";
import { holdTimers } from "./support/hold-timers.ts";
import { breakCall, breakUntilClick } from "./support/quick.ts";
import {
  dialog,
  openSettings,
  passNotice,
  payments,
  section,
  shared,
  signInPaying,
} from "./support/settings-screen.ts";
import { test } from "./support/test.ts";

test("A-19, R-SET-03, R-SET-04 payments: a list or results, statuses, an error that can be tried again, receipts", async ({
  page,
}) => {
  await holdTimers(page, NOTICE_MS);
  await signInPaying(page, shared(), "plan:basic");
  const one = { currency: "USD", payment_method: "PayPal", has_receipt: false, refunded: 0 };
  const payment = (id: string, status: string, more = {}) => ({
    ...one,
    id,
    transaction_id: id,
    amount: 29,
    payment_date: "2026-11-01T10:00:00Z",
    status,
    description: `Payment ${id}`,
    ...more,
  });
  const results = [
    payment("a", "successful", { currency: "JPY", amount: 4500 }),
    payment("b", "pending", { refunded: 29 }),
    payment("c", "some new word"),
  ];
  await page.route("**/api/users/payments/", (route) => route.fulfill({ json: { results } }));
  await breakUntilClick(page, "**/api/users/payments/");
  await openSettings(page, shared());
  const region = section(page, "Payments");
  await expect(region.getByRole("alert")).toContainText("Your payments could not be loaded.");
  await expect(payments(page)).toHaveCount(1);
  await region.getByRole("button", { name: "Try again" }).click();
  await expect(payments(page)).toHaveCount(3);
  await expect(region.getByRole("alert")).toHaveCount(0);
  const [first, second, third] = [payments(page).nth(0), payments(page).nth(1), payments(page).nth(2)];
  await expect(first).toContainText("¥4,500");
  await expect(first).toContainText("Successful");
  await expect(second).toContainText("Pending");
  await expect(second).toContainText("Refunded $29.00");
  await expect(third).toContainText("Failed");

  await page.unroute("**/api/users/payments/");
  await openSettings(page, shared());
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    payments(page)
      .first()
      .getByRole("button", { name: /^Receipt/ })
      .click(),
  ]);
  expect(new URL(file.url()).pathname).toMatch(/^\/invoices\//);
  await breakCall(page, /\/receipt\/$/);
  await payments(page)
    .first()
    .getByRole("button", { name: /^Receipt/ })
    .click();
  await passNotice(page, "Broken for a test.");
  await expect(payments(page).first()).toContainText("Broken for a test.");
});

test("R-SET-03 a payment made elsewhere joins the list by itself", async ({ page }) => {
  const { token, who } = await signInPaying(page, shared(), "plan:basic");
  await openSettings(page, shared());
  await expect(payments(page)).toHaveCount(1);
  const headers = { authorization: `Bearer ${token}` };
  const { id } = await (await page.request.get("/api/users/me/", { headers })).json();
  await controlPaddle(shared().paddleUrl).buy({ userId: id, email: who.email }, "pack:basic:100");
  await expect(payments(page)).toHaveCount(2, { timeout: 60_000 });
});

test("the deletion says what becomes of a running plan", async ({ page }) => {
  await signInPaying(page, shared(), "plan:basic");
  await openSettings(page, shared());
  await page.getByRole("button", { name: "Delete account" }).click();
  await expect(dialog(page)).toContainText("Your plan ends at once and is not charged again.");
});
