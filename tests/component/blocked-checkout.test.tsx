import { expect, test } from "vitest";
import { BuyCreditsScreen } from "#components/billing/buy-credits-screen.tsx";
import { catalog, me, recordCheckout, subscriptionTo } from "#tests/support/component/billing.ts";
import { installPaddle } from "#tests/support/component/paddle.ts";
import { renderScreen } from "#tests/support/component/render.tsx";
import { allowConsoleErrors } from "#tests/support/console.ts";

// A document keeps the provider's script, so this file withholds it until the second press.
test("R-BUY-12, R-BUY-23, R-ERR-28 a blocked script is reported on press and retried by the next press", async () => {
  allowConsoleErrors();
  const first = { email: "fern@example.com", subscription: subscriptionTo("free"), catalog, adPixelId: undefined };
  const { screen } = await renderScreen(<BuyCreditsScreen initial={first} />, {
    path: "/app/buy-credits",
    answers: {
      "GET /api/users/me/": me,
      "GET /api/users/subscription/": subscriptionTo("free"),
      "GET /api/users/plans/": catalog,
      "POST /api/users/checkout/": recordCheckout("free"),
    },
  });
  const button = screen.getByRole("complementary", { name: "Your purchase" }).getByRole("button");
  await screen.getByRole("radio", { name: /^100 credits/ }).click();
  await button.click();
  await expect.element(screen.getByRole("alert")).toHaveTextContent("Payment system is not ready. Please try again.");
  await expect.element(button).toHaveTextContent("Purchase Credits");
  const paddle = installPaddle();
  await button.click();
  await expect.poll(() => paddle.opened().length).toBe(1);
  await expect.element(screen.getByRole("alert")).not.toBeInTheDocument();
});
