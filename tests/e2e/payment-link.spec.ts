import { expect, type Page } from "@playwright/test";
import { balanceOf, overlay, overlayGone, paddle, payWith, read, signInOn } from "./support/buying.ts";
import { card } from "./support/pricing-screen.ts";
import type { SignedIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const CONFIRM = "**/api/users/subscription/confirm/";
const SHOWN = { timeout: 60_000 };
const payButton = (page: Page) => overlay(page).getByRole("button", { name: "Subscribe for $29.00" });

const result = (page: Page) => page.locator("[data-slot=pricing-result]");
const UPGRADED = "Successfully upgraded to Basic! Your subscription will auto-renew monthly.";

/** The payment link from the provider's email to an unpaid checkout of the basic plan. */
const linkOf = async (page: Page, user: SignedIn): Promise<string> => {
  const { id: userId } = await read(page, user, "/api/users/me/");
  const buyer = { userId: String(userId), email: user.who.email };
  const { id } = await paddle().buy(buyer, "plan:basic", { card: null });
  return `/pricing?_ptxn=${id}`;
};

test("A-04, R-ROUTE-15, R-PRICE-13, R-PRICE-14: a payment link is paid, confirmed and its result shown; an abandoned one is removed from the URL", async ({
  page,
}) => {
  const user = await signInOn(page, "free");
  await page.goto(await linkOf(page, user));
  await expect(payButton(page)).toBeVisible(SHOWN);
  await expect(page.getByText("You have a payment to complete.")).toBeHidden();
  await overlay(page).getByRole("button", { name: "Close checkout" }).click();
  await overlayGone(page);
  await expect(page).toHaveURL(/\/pricing$/);
  await expect(result(page)).toBeHidden();

  await page.goto(await linkOf(page, user));
  const requests = page.waitForRequest(CONFIRM, { timeout: 120_000 });
  await payWith(page, "works");
  await page.waitForURL(/\/upgrade-success\?transaction=txn_[a-z\d]+&of=plan$/, SHOWN);
  const { transactionId } = (await requests).postDataJSON();
  expect(new URL(page.url()).searchParams.get("transaction")).toBe(transactionId);
  await expect(result(page)).toHaveText(UPGRADED, SHOWN);
  await expect(card(page, "Basic").getByText("Current plan")).toBeVisible();
  expect(await balanceOf(page, user)).toBe(400);

  // Reloaded, and opened by another user: nothing is granted twice, and the other user learns nothing.
  await page.reload();
  await expect(result(page)).toHaveText(UPGRADED, SHOWN);
  expect(await balanceOf(page, user)).toBe(400);
  const address = page.url();
  const other = await signInOn(page, "free");
  const refused = page.waitForResponse(CONFIRM, { timeout: 60_000 });
  await page.goto(address);
  expect((await refused).status()).toBe(404);
  await expect(result(page)).toContainText("Just paid?");
  expect(await balanceOf(page, other)).toBe(5);
});
