import { beforeEach, describe, expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { BuyCreditsScreen } from "#components/billing/buy-credits-screen.tsx";
import { PACK_CREDITS, type PlanSlug } from "#lib/features/billing/plans.ts";
import type { PurchaseWire } from "#lib/features/billing/schema.ts";
import { catalog, me, recordCheckout, subscriptionTo } from "#tests/support/component/billing.ts";
import { type Answers, failWith, pendingResponse } from "#tests/support/component/calls.ts";
import { completeCheckout, installPaddle, sendCheckoutEvent } from "#tests/support/component/paddle.ts";
import { renderScreen } from "#tests/support/component/render.tsx";
import { allowConsoleErrors } from "#tests/support/console.ts";

const ME = "GET /api/users/me/";
const SUBSCRIPTION = "GET /api/users/subscription/";
const CATALOG = "GET /api/users/plans/";
const CHECKOUT = "POST /api/users/checkout/";
const PURCHASE = "POST /api/users/credits/purchase/";

const bought = (credits: number, more: Partial<PurchaseWire> = {}): PurchaseWire => ({
  success: true,
  status: "completed",
  credits,
  available_credits: 5 + credits,
  message: "",
  ...more,
});

let paddle: ReturnType<typeof installPaddle>;
beforeEach(() => {
  paddle = installPaddle();
});

const open = async (answers: Answers = {}, plan: PlanSlug = "free", isAllowanceTaken = false) => {
  const shown = await renderScreen(
    <BuyCreditsScreen
      initial={{ email: "fern@example.com", subscription: subscriptionTo(plan), catalog, adPixelId: undefined }}
    />,
    {
      path: "/app/buy-credits",
      isFreePlan: plan === "free",
      isAllowanceTaken,
      answers: {
        [ME]: me,
        [SUBSCRIPTION]: subscriptionTo(plan),
        [CATALOG]: catalog,
        [CHECKOUT]: recordCheckout(plan),
        [PURCHASE]: bought(100),
        ...answers,
      },
    },
  );
  const { screen } = shown;
  const summary = screen.getByRole("complementary", { name: "Your purchase" });
  return {
    ...shown,
    summary,
    button: summary.getByRole("button"),
    pack: (credits: number) =>
      screen.getByRole("radio", { name: new RegExp(`^${credits.toLocaleString("en-US")} credits`) }),
    packs: screen.getByRole("group", { name: "Credit packages" }),
    problem: screen.getByRole("alert"),
  };
};

const overlayOpens = () => expect.poll(() => paddle.opened().length).toBe(1);

describe("prices by plan", () => {
  test.each([
    ["free", "5", "$0.060", ["6.00", "18.00", "30.00", "60.00", "90.00", "120.00", "180.00"]],
    ["basic", "400", "$0.050", ["5.00", "15.00", "25.00", "50.00", "75.00", "100.00", "150.00"]],
    ["growth", "1,000", "$0.045", ["4.50", "13.50", "22.50", "45.00", "67.50", "90.00", "135.00"]],
    ["pro", "2,500", "$0.040", ["4.00", "12.00", "20.00", "40.00", "60.00", "80.00", "120.00"]],
  ] as const)(
    "R-BUY-02, R-BUY-03, R-BUY-04, R-BUY-05, R-BUY-06, R-BUY-07, R-BUY-18, A-24 each pack on %s",
    async (plan, included, perCredit, prices) => {
      const { screen, summary, button, pack, packs } = await open({}, plan);
      await expect.element(screen.getByText(`Your plan includes ${included} credits per billing cycle`)).toBeVisible();
      expect(screen.getByText(perCredit).elements()).toHaveLength(2);
      await expect.element(summary.getByText("0%")).toBeVisible();
      expect(packs.getByText("Popular").elements()).toHaveLength(1);
      expect(pack(500).element().closest("label")?.textContent).toContain("Popular");
      for (const [at, credits] of PACK_CREDITS.entries()) {
        expect(pack(credits).element().closest("label")?.textContent).toContain(`$${prices[at]}`);
        await pack(credits).click();
        await expect.element(summary.getByText(`$${prices[at]}`)).toBeVisible();
      }
      await button.click();
      await overlayOpens();
      expect(paddle.opened()[0]).toMatchObject({
        items: [{ priceId: `pri_${plan}_3000`, quantity: 1 }],
        customer: { email: "fern@example.com" },
        customData: { credits: 3000, plan_type: plan, user_id: "usr_1" },
      });
    },
  );
});

describe("buying", () => {
  test("R-BUY-19, R-BUY-20, R-PAY-04 the confirmation sends the fields of the completed checkout", async () => {
    const { screen, calls, button, pack } = await open();
    await pack(100).click();
    await button.click();
    await overlayOpens();
    await expect.element(button).toHaveTextContent("Processing...");
    completeCheckout({ custom_data: { credits: 100 }, totals: { total: 6 } });
    await expect.element(screen.getByText("Successfully purchased 100 credits!")).toBeVisible();
    expect(calls.to(PURCHASE).map(({ body }) => body)).toEqual([{ credits: 100, amount: 6, transactionId: "txn_1" }]);
    expect(paddle.closed()).toBe(1);
    await expect.element(button).toHaveTextContent("Purchase Credits");
    await expect.element(pack(100)).not.toBeChecked();
  });

  test("R-PAY-03, A-58 shows what the server granted even if the completed event claims more", async () => {
    const { screen, button, pack } = await open();
    await pack(100).click();
    await button.click();
    await overlayOpens();
    completeCheckout({ custom_data: { credits: 9_999 }, totals: { total: 9_999 } });
    await expect.element(screen.getByText("Successfully purchased 100 credits!")).toBeVisible();
  });

  test("R-BUY-17 the packs are locked and the button is busy while the purchase is recorded", async () => {
    const held = pendingResponse();
    const { button, pack } = await open({ [CHECKOUT]: held.hold });
    await pack(100).click();
    await button.click();
    await expect.element(button).toHaveTextContent("Processing...");
    await expect.element(pack(300)).toBeDisabled();
    held.answer(recordCheckout("free")({ body: { kind: "pack", credits: 100 } }));
    await overlayOpens();
  });

  test("R-BUY-19 confirms an unsettled payment again until it has settled", async () => {
    let requests = 0;
    const { screen, button, pack } = await open({
      [PURCHASE]: () => {
        requests += 1;
        return requests < 2 ? bought(100, { success: false, status: "pending", available_credits: 5 }) : bought(100);
      },
    });
    await pack(100).click();
    await button.click();
    await overlayOpens();
    completeCheckout();
    await expect.element(screen.getByText("Successfully purchased 100 credits!")).toBeVisible();
    expect(requests).toBe(2);
  });

  test("R-BUY-20, R-BUY-22 reads the balance again after a checkout that closes during a payment", async () => {
    const { calls, button, pack } = await open();
    await pack(100).click();
    await button.click();
    await overlayOpens();
    const before = calls.to("GET /api/users/credits/").length;
    sendCheckoutEvent({ name: "checkout.payment.initiated", data: {} });
    sendCheckoutEvent({ name: "checkout.closed", data: {} });
    await expect.poll(() => calls.to("GET /api/users/credits/").length).toBeGreaterThan(before);
    await expect.element(button).toHaveTextContent("Purchase Credits");
    expect(calls.to(PURCHASE)).toEqual([]);
  });

  test("R-BUY-22 after closing midway, a double press has opened one checkout and the screen is ready again", async () => {
    const { calls, button, pack } = await open();
    await pack(100).click();
    await button.dblClick();
    await overlayOpens();
    sendCheckoutEvent({ name: "checkout.closed", data: {} });
    await expect.element(button).toHaveTextContent("Purchase Credits");
    await expect.element(pack(100)).toBeEnabled();
    expect(calls.to(CHECKOUT)).toHaveLength(1);
  });

  test("R-BUY-05 the packs are one radio group for the keyboard", async () => {
    const { pack, packs } = await open();
    expect(packs.getByRole("radio").elements()).toHaveLength(7);
    (pack(100).element() as HTMLElement).focus();
    await userEvent.keyboard(" {ArrowDown}{ArrowDown}");
    await expect.element(pack(500)).toBeChecked();
  });
});

describe("what prevents buying", () => {
  test("R-BUY-11, R-BUY-23 nothing selected: the error appears below the button, which does not move", async () => {
    const { button, summary, problem, calls, pack } = await open();
    const place = () => button.element().getBoundingClientRect().y - summary.element().getBoundingClientRect().y;
    const before = place();
    await button.click();
    await expect.element(problem).toHaveTextContent("Please select a credit package");
    expect(place()).toBeCloseTo(before, 1);
    expect(calls.to(CHECKOUT)).toEqual([]);
    await pack(100).click();
    await expect.element(problem).not.toBeInTheDocument();
  });

  test.each([
    [
      "R-BUY-13 an unknown email",
      { [ME]: { ...me, email: "" } },
      "User information is missing. Please refresh or contact support.",
    ],
    [
      "R-BUY-14 a missing price id",
      { [CATALOG]: { ...catalog, packs: [] } },
      "Price ID not found for this credit package and plan",
    ],
    ["R-BUY-21, R-ERR-28 a call that fails", { [CHECKOUT]: failWith(500) }, "Failed to process payment"],
  ])("%s is reported and nothing opens", async (_, answers, text) => {
    const { button, problem, pack, calls } = await open(answers);
    await expect.poll(() => calls.to(CATALOG).length + calls.to(ME).length).toBe(2);
    await pack(100).click();
    await button.click();
    await expect.element(problem).toHaveTextContent(text);
    await expect.element(button).toHaveTextContent("Purchase Credits");
    expect(paddle.opened()).toEqual([]);
  });

  test("R-BUY-21, R-BUY-23, R-ERR-28 reports a failed checkout and a failed confirmation, and each can be retried", async () => {
    allowConsoleErrors();
    const { button, problem, pack, calls } = await open({ [PURCHASE]: failWith(404) });
    await pack(100).click();
    await button.click();
    await overlayOpens();
    sendCheckoutEvent({ name: "checkout.error", code: "bad_request" });
    await expect.element(problem).toHaveTextContent("Failed to process payment");
    await button.click();
    await expect.poll(() => paddle.opened().length).toBe(2);
    completeCheckout();
    await expect.element(problem).toHaveTextContent("Failed to confirm purchase. Please contact support.");
    await expect.element(button).toHaveTextContent("Purchase Credits");
    expect(calls.to(PURCHASE)).toHaveLength(1);
  });

  test("R-BUY-15, R-BUY-16, A-23 without the subscription the default plan is shown, and the charged price before paying", async () => {
    const { screen, button, problem, pack, summary } = await open({ [SUBSCRIPTION]: failWith(500) });
    await expect.element(problem).toHaveTextContent("Failed to fetch subscription data");
    const row = (credits: number) => pack(credits).element().closest("label")?.textContent;
    expect(row(100)).toContain("$5.00");
    expect(screen.getByText(/credits per billing cycle/).elements()).toEqual([]);
    await pack(100).click();
    await button.click();
    await expect.element(screen.getByText("These are the prices for your Free plan.", { exact: false })).toBeVisible();
    await expect.element(summary.getByText("$6.00")).toBeVisible();
    expect(row(100)).toContain("$6.00");
    expect(paddle.opened()).toEqual([]);
    await button.click();
    await overlayOpens();
  });

  test("R-BUY-15 a missing subscription is not an error", async () => {
    const { problem, pack, calls } = await open({
      [SUBSCRIPTION]: failWith(404, { error: "We can't find this. It may have been deleted." }),
    });
    await expect.poll(() => calls.to(SUBSCRIPTION).length).toBe(1);
    await expect.poll(() => pack(100).element().closest("label")?.textContent).toContain("$5.00");
    await expect.element(problem).not.toBeInTheDocument();
  });

  test("A-23 the server's plan holds until the subscription is read again", async () => {
    let plan: PlanSlug = "free";
    const { screen, button, pack, live } = await open({
      [SUBSCRIPTION]: () => subscriptionTo(plan),
      [CHECKOUT]: (call) => recordCheckout("basic")(call),
    });
    plan = "basic";
    await pack(100).click();
    await button.click();
    await expect.element(screen.getByText("These are the prices for your Basic plan.", { exact: false })).toBeVisible();
    const row = () => pack(100).element().closest("label")?.textContent;
    await expect.poll(row).toContain("$5.00");
    plan = "growth";
    live.send("credits", { available_credits: 1_000 });
    await expect.poll(row).toContain("$4.50");
  });
});

test("says that another user gets the free credits, next to the balance and in the sidebar", async () => {
  const { screen } = await open({}, "free", true);
  const sentences = screen.getByText(/Another user already got this month's free credits/);
  await expect.poll(() => sentences.elements().length).toBe(2);
});
