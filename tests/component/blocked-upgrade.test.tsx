import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { PlanColumns } from "#components/billing/plan-columns.tsx";
import { setToken } from "#lib/client/browser-storage.ts";
import { catalog, me, recordCheckout, subscriptionTo } from "#tests/support/component/billing.ts";
import { answerCalls } from "#tests/support/component/calls.ts";
import { installPaddle } from "#tests/support/component/paddle.ts";
import { render } from "#tests/support/component/render.tsx";
import { allowConsoleErrors } from "#tests/support/console.ts";

// A document keeps the provider's script, so this file withholds it until the second press.
test("R-PRICE-18, R-ERR-24, R-ERR-28 a blocked checkout is reported on press, charges nothing, and is retried by the next press", async () => {
  allowConsoleErrors();
  document.documentElement.dataset.session = "stored";
  const calls = answerCalls({
    "GET /api/users/me/": me,
    "GET /api/users/subscription/": subscriptionTo("free"),
    "GET /api/users/plans/": catalog,
    "POST /api/users/checkout/": recordCheckout("free"),
  });
  setToken("component.token");
  const screen = await render(<PlanColumns adPixelId={undefined} />, "/pricing");
  const upgrade = screen
    .getByRole("listitem")
    .filter({ has: page.getByRole("heading", { name: "Basic", exact: true }) })
    .getByRole("button");
  await expect.element(screen.getByText("Your plan: Free.")).toBeVisible();
  await upgrade.click();
  await expect.element(screen.getByRole("alert")).toHaveTextContent("Payment system is not ready. Please try again.");
  await expect.element(upgrade).toHaveTextContent("Upgrade to Basic");
  expect(calls.to("POST /api/users/checkout/")).toEqual([]);
  const paddle = installPaddle();
  await upgrade.click();
  await expect.poll(() => paddle.opened().length).toBe(1);
  await expect.element(screen.getByRole("alert")).not.toBeInTheDocument();
});
