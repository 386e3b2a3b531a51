import { expect, type Page } from "@playwright/test";
import { NOTICE_MS } from "#components/ui/notice-texts.ts";
import { DAY_MS } from "#lib/core/time.ts";
import { CARDS, controlPaddle } from "#tests/support/paddle.ts";
import { holdTimers } from "./support/hold-timers.ts";
import { secondApp } from "./support/second-app.ts";
import {
  awaitPlan,
  dialog,
  dismissNotice,
  openSettings,
  payments,
  plan,
  signInPaying,
} from "./support/settings-screen.ts";
import { test } from "./support/test.ts";

const CANCELED = "Your subscription has been canceled. You'll still have access until the end of your billing period.";
const cancelButton = (page: Page) => plan(page).getByRole("button", { name: "Cancel subscription" });
const fixPayment = (page: Page) => plan(page).getByRole("button", { name: "Update payment method" });

/** Fills in the provider's form for another card. */
const fillCardForm = async (page: Page): Promise<void> => {
  await page.getByLabel("Card number").fill(CARDS.good);
  await page.getByLabel("Expiry date").fill("12 / 34");
  await page.getByLabel("Security code").fill("100");
  await page.getByLabel("Name on card").fill("Fern Hollow");
  await page.getByRole("button", { name: /^(Pay|Save)/ }).click();
  await expect(page.getByRole("status")).toBeVisible();
};

test.describe("on a clock of its own", () => {
  const app = secondApp({});
  let offsetMs = 0;

  /** Advances the time of product and provider. Sessions last 30 days, so the user logs in again. */
  const wait = (ms: number): Promise<void> => {
    offsetMs += ms;
    return app().moveClock(offsetMs);
  };

  /** The product at its current time. */
  const appNow = () => {
    const aheadMs = offsetMs;
    return { ...app(), now: () => new Date(Date.now() + aheadMs) };
  };

  const signInAgain = async (page: Page, { email, password }: { email: string; password: string }): Promise<void> => {
    const answer = await page.request.post(`${app().baseUrl}/api/users/login/`, { data: { email, password } });
    const { accessToken } = await answer.json();
    await page.goto(`${app().baseUrl}/icon.svg`);
    await page.evaluate((value) => localStorage.setItem("accessToken", value), String(accessToken));
  };

  test("A-96, R-SET-05, R-SET-06, R-SET-07, R-SET-08, R-SUB-02, R-SUB-06, A-95 basic → growth → cancel → undo → cancel → end of term", async ({
    page,
  }) => {
    await holdTimers(page, NOTICE_MS);
    const { who } = await signInPaying(page, appNow(), "plan:basic");
    await openSettings(page, app());
    await expect(plan(page)).toContainText("Basic plan");
    await expect(plan(page)).toContainText("Active");
    await expect(plan(page)).toContainText("Renews on");
    await expect(payments(page)).toHaveCount(1);
    await plan(page).getByRole("link", { name: "Change plan" }).click();
    await page.waitForURL(/\/pricing/);
    await expect(page.getByText("Your plan: Basic.")).toBeVisible({ timeout: 30_000 });
    await page.getByRole("button", { name: "Upgrade to Growth" }).click({ timeout: 30_000 });
    await expect(dialog(page).getByText("Due now")).toBeVisible({ timeout: 30_000 });
    await dialog(page).getByRole("button", { name: "Change to Growth" }).click();
    await expect(dialog(page)).toHaveCount(0, { timeout: 60_000 });
    await awaitPlan(page, app(), ["Growth plan", "Active", "1,000 a month"]);
    await expect(payments(page).first()).toContainText("Change to the Growth plan");

    const sent: string[] = [];
    page.on("request", (request) => void (request.url().includes("/subscription/cancel/") && sent.push(request.url())));
    await cancelButton(page).click();
    await expect(dialog(page)).toContainText("You'll keep the Growth plan until");
    await dialog(page).getByRole("button", { name: "Keep my plan" }).click();
    await expect(dialog(page)).toHaveCount(0);
    expect(sent).toEqual([]);
    await expect(cancelButton(page)).toBeFocused();

    for (const _ of [1, 2]) {
      await cancelButton(page).click();
      await dialog(page).getByRole("button", { name: "Cancel subscription" }).click();
      await dismissNotice(page, CANCELED);
      await expect(plan(page)).toContainText("Canceling");
      await expect(plan(page)).toContainText("Ends on");
      await expect(cancelButton(page)).toHaveCount(0);
      if (sent.length > 1) break;
      await plan(page).getByRole("button", { name: "Keep my plan" }).click();
      await dismissNotice(page, "Your subscription is back on");
      await expect(plan(page)).toContainText("Active");
      await expect(cancelButton(page)).toBeVisible();
    }

    await wait(32 * DAY_MS);
    await signInAgain(page, who);
    await awaitPlan(page, app(), ["Free plan", "Canceled", "Ended on", "5 a month"]);
    await expect(cancelButton(page)).toHaveCount(0);
    await expect(plan(page).getByRole("link", { name: "Upgrade" })).toBeVisible();
  });

  test("A-99 a declined renewal shows in red until another card pays; paused means the free plan", async ({ page }) => {
    await holdTimers(page, NOTICE_MS);
    const { who } = await signInPaying(page, appNow(), "plan:basic", CARDS.declinedLater);
    await wait(31 * DAY_MS);
    await signInAgain(page, who);
    await awaitPlan(page, app(), ["Basic plan", "Your last payment failed."]);
    await expect(payments(page).first()).toContainText("Failed");
    await fixPayment(page).click();
    await page.waitForURL((url) => url.origin === new URL(app().paddleUrl).origin);
    await fillCardForm(page);
    await expect(async () => {
      await awaitPlan(page, app(), ["Basic plan", "Active", "Renews on"]);
      await expect(plan(page)).not.toContainText("failed", { timeout: 1_000 });
      await expect(payments(page).first()).toContainText("Successful", { timeout: 1_000 });
    }).toPass({ timeout: 60_000 });

    await page.context().clearCookies();
    await controlPaddle(app().paddleUrl).control("PATCH", "/settings", { dunningEnd: "paused" });
    const other = await signInPaying(page, appNow(), "plan:growth", CARDS.declinedLater);
    await wait(60 * DAY_MS);
    await signInAgain(page, other.who);
    await awaitPlan(page, app(), ["Free plan", "Canceled", "Your plan is paused"]);
    await expect(cancelButton(page)).toHaveCount(0);
    await fixPayment(page).click();
    await page.waitForURL((url) => url.origin === new URL(app().paddleUrl).origin);
    await fillCardForm(page);
    await openSettings(page, app());
    await plan(page).getByRole("button", { name: "Resume my plan" }).click();
    await expect(dialog(page)).toContainText(
      "Your Growth plan will start a new month today, and you'll be charged $49 plus tax now.",
    );
    await dialog(page).getByRole("button", { name: "Resume and pay" }).click();
    await dismissNotice(page, "Your plan has been resumed.");
    await awaitPlan(page, app(), ["Growth plan", "Active"]);
  });
});
