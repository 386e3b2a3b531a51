import { describe, expect, test } from "vitest";
import { HeldSubscriptions } from "#components/billing/held-subscriptions.tsx";
import { PaymentHistory } from "#components/billing/payment-history.tsx";
import { SubscriptionCard } from "#components/billing/subscription-card.tsx";
import type { PaymentWire, SubscriptionWire } from "#lib/features/billing/schema.ts";
import { subscriptionTo } from "#tests/support/component/billing.ts";
import { type Answers, failWith, unreachable } from "#tests/support/component/calls.ts";
import { renderScreen } from "#tests/support/component/render.tsx";

const SUBSCRIPTION = "GET /api/users/subscription/";
const PAYMENTS = "GET /api/users/payments/";
const CANCEL = "POST /api/users/subscription/cancel/";
const CANCEL_FAILED = "Failed to cancel subscription. Please try again or contact support.";
const ZONE = "Asia/Kathmandu";

describe("the plan", () => {
  const open = async (subscription: SubscriptionWire, answers: Answers = {}) => {
    const shown = await renderScreen(<SubscriptionCard initial={subscription} timeZone={ZONE} />, {
      path: "/app/settings",
      answers: { [SUBSCRIPTION]: subscription, ...answers },
    });
    return {
      ...shown,
      cancel: shown.screen.getByRole("button", { name: "Cancel subscription" }),
      dialog: shown.screen.getByRole("dialog"),
    };
  };

  test("R-SET-02, R-SUB-03, R-SUB-04, A-23 the free plan: no canceling, and links to what is available", async () => {
    const { screen, cancel } = await open(subscriptionTo("free"));
    await expect.element(screen.getByTestId("plan-name")).toHaveTextContent("Free plan");
    await expect.element(screen.getByText("No subscription")).toBeVisible();
    expect(cancel.elements()).toEqual([]);
    for (const [name, path] of [
      ["Upgrade", "/pricing"],
      ["Buy credits", "/app/buy-credits"],
      ["Credit activity", "/app/settings/credits"],
    ] as const) {
      await expect
        .element(screen.getByRole("main").getByRole("link", { name, exact: true }))
        .toHaveAttribute("href", path);
    }
  });

  test("R-SET-05, R-SET-09, R-ERR-18 a cancellation needs confirmation, and a failure shows the server's or the literal text", async () => {
    const { screen, calls, cancel, dialog } = await open(subscriptionTo("basic"));
    const press = async () => {
      await cancel.click();
      await dialog.getByRole("button", { name: "Cancel subscription" }).click();
      await expect.element(dialog).not.toBeInTheDocument();
    };
    await cancel.click();
    await expect.element(dialog).toMatchTextContent("You'll keep the Basic plan until");
    await dialog.getByRole("button", { name: "Keep my plan" }).click();
    await expect.element(cancel).toHaveFocus();
    expect(calls.to(CANCEL)).toEqual([]);

    calls.set({ [CANCEL]: failWith(500, { error: "Broken for a test." }) });
    await press();
    await expect.element(screen.getByTestId("notice")).toMatchTextContent("Broken for a test.");
    calls.set({ [CANCEL]: unreachable });
    await press();
    await expect.element(screen.getByTestId("notice")).toMatchTextContent(CANCEL_FAILED);
    await expect.element(screen.getByRole("main")).toMatchTextContent(CANCEL_FAILED);
    await expect.element(screen.getByText("Active", { exact: true })).toBeVisible();
  });

  /** The hue of a chip's text as painted by the browser: 0 red, 60 yellow, 120 green, 240 blue. */
  const hueOf = (chip: Element): number => {
    const paper = new OffscreenCanvas(1, 1).getContext("2d");
    if (!paper) return Number.NaN;
    paper.fillStyle = getComputedStyle(chip).color;
    paper.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = paper.getImageData(0, 0, 1, 1).data;
    const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
    const sixth = (at: number) => ((at * 60 + 540) % 360) - 180;
    if (most === red) return sixth((green - blue) / (most - least));
    return most === green ? sixth((blue - red) / (most - least) + 2) : sixth((red - green) / (most - least) + 4);
  };

  test.each([
    ["active", "Active", 80, 170],
    ["trial", "Trial", -170, -100],
    ["active (canceling)", "Canceling", 25, 65],
    ["canceled", "Canceled", -20, 20],
    ["no_subscription", "No subscription", -20, 20],
  ] as const)("R-SUB-03, A-21, A-22 the color of %s, in both themes", async (status, word, from, to) => {
    const { screen } = await open(subscriptionTo("basic", { status, auto_renew: status === "active" }));
    for (const theme of ["light", "dark"]) {
      document.documentElement.className = theme;
      const hue = hueOf(screen.getByText(word, { exact: true }).element());
      const near = from < -90 && hue > 0 ? hue - 360 : hue;
      expect(near, theme).toBeGreaterThan(from);
      expect(near, theme).toBeLessThan(to);
    }
    document.documentElement.className = "";
  });
});

describe("payments", () => {
  const payment = (id: string, status: string, more: Partial<PaymentWire> = {}): PaymentWire => ({
    id,
    transaction_id: id,
    amount: 29,
    currency: "USD",
    payment_method: "PayPal",
    payment_date: "2026-11-01T10:00:00Z",
    status,
    description: `Payment ${id}`,
    has_receipt: true,
    refunded: 0,
    ...more,
  });
  const open = (initial: PaymentWire[], answers: Answers) =>
    renderScreen(<PaymentHistory initial={initial} timeZone={ZONE} />, { path: "/app/settings", answers });

  test("A-19, R-SET-03, R-SET-04 a list or results, statuses, and an error with a retry", async () => {
    const first = payment("first", "successful");
    const { screen, calls } = await open([first], { [PAYMENTS]: failWith(500) });
    const rows = screen.getByRole("list", { name: "Payments" }).getByRole("listitem");
    await expect
      .element(screen.getByRole("alert").filter({ hasText: "We couldn't load your payments." }))
      .toBeVisible();
    expect(rows.elements()).toHaveLength(1);
    calls.set({
      [PAYMENTS]: {
        results: [
          payment("a", "successful", { currency: "JPY", amount: 4500 }),
          payment("b", "pending", { refunded: 29 }),
          payment("c", "some new word"),
        ],
      },
    });
    await screen.getByRole("button", { name: "Try again" }).click();
    await expect.element(rows.nth(0)).toMatchTextContent("¥4,500");
    await expect.element(rows.nth(0)).toMatchTextContent("Successful");
    await expect.element(rows.nth(1)).toMatchTextContent("Pending");
    await expect.element(rows.nth(1)).toMatchTextContent("Refunded $29.00");
    await expect.element(rows.nth(2)).toMatchTextContent("Failed");
    expect(screen.getByRole("alert").elements()).toEqual([]);
  });

  test("R-SET-04 a receipt that cannot be opened shows why at its payment", async () => {
    const { screen } = await open([payment("a", "successful")], {
      [PAYMENTS]: [payment("a", "successful")],
      "POST /api/users/payments/*/receipt/": failWith(500, { error: "Broken for a test." }),
    });
    await screen.getByRole("button", { name: /^Receipt/ }).click();
    await expect.element(screen.getByTestId("notice")).toMatchTextContent("Broken for a test.");
    await expect.element(screen.getByRole("list", { name: "Payments" })).toMatchTextContent("Broken for a test.");
  });

  test("R-SET-03 none yet", async () => {
    const { screen } = await open([], { [PAYMENTS]: [] });
    await expect.element(screen.getByText("No payments yet.", { exact: false })).toBeVisible();
  });
});

test("A-96 the user ends a second plan after confirming; a failure is shown and the focus is kept", async () => {
  const held = { id: "sub_2", plan: "pro", isEnding: false } as const;
  const { screen, calls } = await renderScreen(<HeldSubscriptions initial={[held]} />, {
    path: "/app/settings",
    answers: { "ACTION cancelHeldSubscriptionAction": failWith(500) },
  });
  const cancel = screen.getByRole("button", { name: "Cancel the second plan" });
  const dialog = screen.getByRole("dialog");
  await expect.element(screen.getByText("You're paying for a second Pro plan")).toBeVisible();
  await cancel.click();
  await dialog.getByRole("button", { name: "Not now" }).click();
  await expect.element(cancel).toHaveFocus();
  await cancel.click();
  await dialog.getByRole("button", { name: "Cancel the second plan" }).click();
  await expect.element(screen.getByRole("alert")).toHaveTextContent(CANCEL_FAILED);
  calls.set({ "ACTION cancelHeldSubscriptionAction": { ok: true, value: null } });
  await cancel.click();
  await dialog.getByRole("button", { name: "Cancel the second plan" }).click();
  const done = screen.getByText("Your second plan has been canceled. Your main plan and credits haven't changed.");
  await expect.element(done).toBeVisible();
  expect(document.activeElement?.contains(done.element())).toBe(true);
});
