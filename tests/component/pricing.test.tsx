import { beforeEach, describe, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { PENDING_WAITS_MS } from "#components/billing/confirm-payment.ts";
import { LinkedPaymentResult } from "#components/billing/linked-result.tsx";
import { PlanColumns } from "#components/billing/plan-columns.tsx";
import { WATCH_POLL_MS } from "#components/billing/plan-watch.ts";
import { setToken } from "#lib/client/browser-storage.ts";
import type { ChangeWire, SubscriptionWire } from "#lib/features/billing/schema.ts";
import { catalog, me, recordCheckout, subscriptionTo } from "#tests/support/component/billing.ts";
import { type Answers, answerCalls, failWith, pendingResponse } from "#tests/support/component/calls.ts";
import { completeCheckout, installPaddle, sendCheckoutEvent } from "#tests/support/component/paddle.ts";
import { render } from "#tests/support/component/render.tsx";
import { visited } from "#tests/support/component/router.ts";
import { holdTimers } from "#tests/support/component/timers.ts";
import { allowConsoleErrors } from "#tests/support/console.ts";

const ME = "GET /api/users/me/";
const SUBSCRIPTION = "GET /api/users/subscription/";
const CATALOG = "GET /api/users/plans/";
const CHECKOUT = "POST /api/users/checkout/";
const CONFIRM = "POST /api/users/subscription/confirm/";
const CHANGE = "POST /api/users/subscription/change/";
const UPGRADED = "Successfully upgraded to Basic! Your subscription will auto-renew monthly.";

let paddle: ReturnType<typeof installPaddle>;
beforeEach(() => {
  paddle = installPaddle();
  // What the script in the document's head does for a stored session.
  document.documentElement.dataset.session = "stored";
});

/** From now on the test controls the page's timers; typing and pressing do not depend on them. */
const open = async (
  answers: Answers = {},
  now: SubscriptionWire = subscriptionTo("free"),
  children = <PlanColumns adPixelId={undefined} />,
) => {
  const calls = answerCalls({
    [ME]: me,
    [SUBSCRIPTION]: now,
    [CATALOG]: catalog,
    [CHECKOUT]: recordCheckout("free"),
    [CONFIRM]: subscriptionTo("basic"),
    ...answers,
  });
  setToken("component.token");
  const screen = await render(children, "/pricing");
  const card = (name: string) =>
    screen.getByRole("listitem").filter({ has: page.getByRole("heading", { name, exact: true }) });
  return {
    screen,
    calls,
    card,
    action: (name: string) => card(name).getByRole("button"),
    problem: (text: string) => screen.getByRole("alert").filter({ hasText: text }),
    plan: (name: string) => screen.getByText(`Your plan: ${name}.`),
    notice: screen.getByTestId("notice"),
    dialog: screen.getByRole("dialog"),
  };
};

const overlayOpens = (times = 1) => expect.poll(() => paddle.opened().length).toBe(times);

describe("what is known about the visitor", () => {
  test.each([
    ["R-PRICE-15 a check that fails", { [ME]: failWith(500) }, "Failed to verify authentication status"],
    [
      "R-PRICE-16 a subscription that cannot be read",
      { [SUBSCRIPTION]: failWith(500) },
      "Failed to fetch subscription status",
    ],
  ])("%s is reported", async (_, answers, text) => {
    const { problem } = await open(answers);
    await expect.element(problem(text)).toBeVisible();
  });

  test("R-PRICE-19 without an email nothing opens, and the error says so", async () => {
    const { action, problem, plan } = await open({ [ME]: failWith(500) });
    await expect.element(plan("Free")).toBeVisible();
    await action("Basic").click();
    await expect.element(problem("Customer information is missing. Please refresh or contact support.")).toBeVisible();
    expect(paddle.opened()).toEqual([]);
  });

  test("R-PRICE-10 without a subscription (404) there is no error, and a plan can be bought", async () => {
    const { screen, action } = await open({
      [SUBSCRIPTION]: failWith(404, { error: "We can't find this. It may have been deleted." }),
    });
    await action("Pro").click();
    await overlayOpens();
    expect(paddle.opened()[0]).toMatchObject({
      items: [{ priceId: "pri_pro", quantity: 1 }],
      customData: { plan_id: "pro", user_id: "usr_1" },
    });
    expect(screen.getByRole("alert").elements()).toEqual([]);
  });

  test("R-PRICE-09 an ended session counts as a visitor: no error, and links lead to the login", async () => {
    const { screen, card } = await open({
      [ME]: failWith(401),
      [SUBSCRIPTION]: failWith(401),
      [CATALOG]: catalog,
    });
    await expect.poll(() => localStorage.getItem("accessToken")).toBeNull();
    expect(
      card("Basic")
        .getByText("Upgrade to Basic")
        .elements()
        .map((one) => one.getAttribute("href")),
    ).toContain("/login?next=%2Fpricing");
    expect(screen.getByRole("alert").elements()).toEqual([]);
  });

  test.each([
    ["the user", ME, me],
    ["the catalog", CATALOG, catalog],
  ])("R-PRICE-11, R-BUY-17 a press before %s is known waits visibly, then opens", async (_, call, answer) => {
    const held = pendingResponse();
    const { screen, action, plan } = await open({ [call]: held.hold });
    await expect.element(plan("Free")).toBeVisible();
    await action("Basic").click();
    await expect.element(action("Basic")).toHaveAttribute("aria-busy", "true");
    await expect.element(action("Basic")).toMatchTextContent("Processing...");
    await expect.element(action("Growth")).toMatchTextContent("Upgrade to Growth");
    held.answer(answer);
    await overlayOpens();
    expect(screen.getByRole("alert").elements()).toEqual([]);
  });

  test("R-PRICE-05 shows the plan's price in the local currency, as previewed by the provider", async () => {
    paddle.previewPrices(async () => ({
      data: {
        currencyCode: "EUR",
        details: {
          lineItems: [{ price: { id: "pri_basic" }, totals: { total: "3451" }, formattedTotals: { total: "€34.51" } }],
        },
      },
    }));
    const { card } = await open();
    await expect.element(card("Basic")).toMatchTextContent("€34.51 a month");
    await expect.element(card("Free")).toMatchTextContent("$0 a month");
    await expect.element(card("Growth")).toMatchTextContent("$49 a month");
  });
});

describe("buying a plan", () => {
  test("R-PRICE-13, R-PRICE-14, A-59 the confirmation sends the transaction; the plan and its button update", async () => {
    const { calls, card, action, notice, plan } = await open();
    await action("Basic").click();
    await overlayOpens();
    completeCheckout({ totals: { total: 29 }, customer: { id: "ctm_1" } });
    await expect.element(notice).toMatchTextContent(UPGRADED);
    expect(calls.to(CONFIRM).map(({ body }) => body)).toEqual([
      {
        plan: "basic",
        price: 29,
        transactionId: "txn_1",
        subscriptionId: null,
        customerId: "ctm_1",
        cancelUrl: null,
        updateUrl: null,
      },
    ]);
    await expect.element(plan("Basic")).toBeVisible();
    await expect.element(card("Basic")).toMatchTextContent("Current plan");
    await expect.element(card("Free")).toMatchTextContent("Cancel in Settings");
    expect(visited().map(({ kind }) => kind)).toContain("refresh");
  });

  test("R-PRICE-20 reports a checkout that does not start, and the next press tries again", async () => {
    const { action, problem, calls, plan } = await open({ [CHECKOUT]: failWith(500) });
    await expect.element(plan("Free")).toBeVisible();
    await action("Basic").click();
    await expect.element(problem("Failed to initiate upgrade. Please try again.")).toBeVisible();
    calls.set({ [CHECKOUT]: recordCheckout("free") });
    await action("Basic").click();
    await overlayOpens();
  });

  test("R-PRICE-21, R-PAY-03 a completed event whose payment the server refuses grants no plan", async () => {
    const { action, problem, plan } = await open({
      [CONFIRM]: failWith(409, {
        error: "This payment hasn't been completed. If you were charged, please contact support.",
      }),
    });
    await expect.element(plan("Free")).toBeVisible();
    await action("Pro").click();
    await overlayOpens();
    completeCheckout({ custom_data: { plan_id: "pro" }, totals: { total: 79 } });
    await expect.element(problem("Failed to confirm subscription. Please contact support.")).toBeVisible();
    expect(plan("Pro").elements()).toEqual([]);
  });

  test("R-PRICE-13, R-PAY-03 paid in a checkout that then closes: nothing else is sold, and the plan arrives", async () => {
    const held = pendingResponse();
    const { screen, calls, card, action, notice, plan } = await open();
    await expect.element(plan("Free")).toBeVisible();
    calls.set({ [SUBSCRIPTION]: held.hold });
    await action("Basic").click();
    await overlayOpens();
    sendCheckoutEvent({ name: "checkout.payment.initiated", data: {} });
    sendCheckoutEvent({ name: "checkout.closed", data: {} });
    await expect
      .element(screen.getByText("Checking whether your payment went through", { exact: false }))
      .toBeVisible();
    for (const name of ["Basic", "Growth", "Pro"])
      await expect.element(card(name)).toMatchTextContent("Payment in progress");
    await expect.poll(held.count).toBeGreaterThan(0);
    held.answer(subscriptionTo("basic"));
    await expect.element(plan("Basic")).toBeVisible();
    await expect.element(notice).toMatchTextContent(UPGRADED);
  });

  test("R-PRICE-13 polls for a pending payment until it has settled", async () => {
    const { screen, calls, action, plan } = await open({
      [CONFIRM]: { ...subscriptionTo("free"), confirmation: "pending" },
    });
    await expect.element(plan("Free")).toBeVisible();
    await action("Basic").click();
    await overlayOpens();
    holdTimers();
    completeCheckout();
    await expect.poll(() => calls.to(CONFIRM).length).toBe(1);
    calls.set({ [CONFIRM]: subscriptionTo("basic") });
    await vi.advanceTimersByTimeAsync(PENDING_WAITS_MS[0] ?? 0);
    await expect.element(plan("Basic")).toBeVisible();
    expect(screen.getByRole("alert").elements()).toEqual([]);
  });
});

describe("A-96 changing a paid plan", () => {
  const preview = (more: Partial<NonNullable<ChangeWire["preview"]>> = {}): ChangeWire => ({
    subscription: null,
    preview: {
      currency: "USD",
      due_now: 12.5,
      next_total: 79,
      next_billed_at: "2027-01-15T10:00:00Z",
      takes_effect: "now",
      credits_now: 1050,
      ...more,
    },
  });

  test.each([
    [
      "A-96 a larger plan",
      "Pro",
      preview(),
      [
        "Due now$12.50 USD",
        "Pro plan startsImmediately",
        "$79.00 USD",
        "You'll be able to connect up to 7 Pinterest accounts right away. You'll also get 1,050 more credits for the rest of this billing period, then 2,500 credits a month.",
        "You'll only pay for the rest of this billing period.",
      ],
    ],
    [
      "A-96 a smaller plan",
      "Basic",
      preview({ due_now: 0, next_total: 29, takes_effect: "renewal" }),
      ["Due nowNothing", "at renewal", "You'll keep your current plan until then."],
    ],
    [
      "A-96 another currency",
      "Pro",
      preview({ currency: "JPY", due_now: 4_350, next_total: 12_000 }),
      ["Due now¥4,350 JPY", "¥12,000 JPY"],
    ],
  ])("%s: the dialog shows what is due, the date and what is included", async (_, name, answer, texts) => {
    const { action, dialog, plan } = await open({ [CHANGE]: answer }, subscriptionTo("growth"));
    await expect.element(plan("Growth")).toBeVisible();
    await action(name).click();
    for (const text of texts) await expect.element(dialog).toMatchTextContent(text);
  });

  test('A-96 a refused change offers no retry and no "Keep my plan"', async () => {
    const text = "Your plan is set to end. To change it, first select Keep my plan in Settings.";
    const { action, dialog, plan } = await open({ [CHANGE]: failWith(409, { error: text }) }, subscriptionTo("basic"));
    await expect.element(plan("Basic")).toBeVisible();
    await action("Growth").click();
    await expect.element(dialog.getByRole("alert")).toMatchTextContent(text);
    await expect.element(dialog.getByRole("link", { name: "Go to Settings" })).toBeVisible();
    expect(
      dialog
        .getByRole("button")
        .elements()
        .map((one) => one.textContent),
    ).toEqual(["Close"]);
  });

  test("A-96 a change being charged cannot be dismissed, and its result shows even after closing the dialog", async () => {
    const held = pendingResponse();
    const { screen, calls, action, dialog, plan, notice } = await open(
      { [CHANGE]: preview() },
      subscriptionTo("basic"),
    );
    await expect.element(plan("Basic")).toBeVisible();
    await action("Growth").click();
    const change = dialog.getByRole("button", { name: "Change to Growth" });
    await expect.element(change).toBeVisible();
    calls.set({ [CHANGE]: held.hold });
    await change.click();
    await expect.element(change).toHaveAttribute("aria-busy", "true");
    expect(dialog.getByRole("button").elements()).toHaveLength(1);
    await userEvent.keyboard("{Escape}");
    await expect.element(change).toHaveAttribute("aria-busy", "true");
    holdTimers();
    held.answer({ subscription: { ...subscriptionTo("basic"), confirmation: "pending" }, preview: null });
    await expect
      .element(dialog.getByText("Payment received. Your plan will update in a moment", { exact: false }))
      .toBeVisible();
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect.element(dialog).not.toBeInTheDocument();
    calls.set({ [SUBSCRIPTION]: subscriptionTo("growth") });
    await vi.advanceTimersByTimeAsync(WATCH_POLL_MS);
    await expect.element(notice).toMatchTextContent("Successfully upgraded to Growth!");
    await expect.element(screen.getByText("Your plan: Growth.")).toBeVisible();
  });
});

describe("the page after a payment link", () => {
  const openAfter = async (answers: Answers, query: string) => {
    const calls = answerCalls({ [ME]: me, [SUBSCRIPTION]: subscriptionTo("free"), [CATALOG]: catalog, ...answers });
    setToken("component.token");
    const screen = await render(
      <>
        <LinkedPaymentResult>Have you just paid?</LinkedPaymentResult>
        <PlanColumns adPixelId={undefined} />
      </>,
      `/upgrade-success?${query}`,
    );
    return { screen, calls };
  };

  test("R-ROUTE-15, A-05 confirms the payment and shows the result; a late plan response does not undo it", async () => {
    const [confirm, late] = [pendingResponse(), pendingResponse()];
    const { screen } = await openAfter(
      { [CONFIRM]: confirm.hold, [SUBSCRIPTION]: late.hold },
      "transaction=txn_1&of=plan",
    );
    await expect
      .element(screen.getByText("Payment received. Confirming your purchase", { exact: false }))
      .toBeVisible();
    await expect.poll(late.count).toBe(1);
    confirm.answer(subscriptionTo("basic"));
    await expect.element(screen.getByText(UPGRADED)).toBeVisible();
    await expect.element(screen.getByText("Current plan")).toBeVisible();
    late.answer(subscriptionTo("free"));
    await expect.element(screen.getByText("Your plan: Basic.")).toBeVisible();
    await expect.element(screen.getByText("Current plan")).toBeVisible();
  });

  test("R-PRICE-21 a refused confirmation says why; another user's payment shows nothing", async () => {
    const refused = failWith(403, { error: "Broken for a test." });
    const { screen, calls } = await openAfter({ [CONFIRM]: refused }, "transaction=txn_1&of=plan");
    await expect.element(screen.getByRole("alert").filter({ hasText: "Broken for a test." })).toBeVisible();
    await screen.unmount();
    calls.set({ [CONFIRM]: failWith(404) });
    const again = await render(
      <LinkedPaymentResult>Have you just paid?</LinkedPaymentResult>,
      "/upgrade-success?transaction=txn_2",
    );
    await expect.element(again.getByText("Have you just paid?")).toBeVisible();
  });

  test("R-ROUTE-15 tries a pack confirmation when the URL does not say what was bought", async () => {
    const purchase = { success: true, status: "completed", credits: 1_000, available_credits: 1_400, message: "" };
    const { screen } = await openAfter(
      {
        [CONFIRM]: failWith(409, {
          error: "This payment was for credits, not a plan. Check your balance on Buy Credits.",
        }),
        "POST /api/users/credits/purchase/": purchase,
      },
      "transaction=txn_1",
    );
    await expect.element(screen.getByText("Successfully purchased 1,000 credits!")).toBeVisible();
  });
});

test("R-PRICE-17 reports a provider that rejects its settings", async () => {
  allowConsoleErrors();
  const { problem, plan } = await open({ [CATALOG]: failWith(500) });
  await expect.element(plan("Free")).toBeVisible();
  await expect.element(problem("Failed to initialize payment system")).toBeVisible();
});
