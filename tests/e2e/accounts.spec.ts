import { expect } from "@playwright/test";
import { NOTICE_MS } from "#components/ui/notice-texts.ts";
import { holdTimers } from "./support/hold-timers.ts";
import { signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

test("R-ROUTE-20, R-NAV-06, A-86, A-87 a declined consent shows a notice and resets the URL, whose values are never shown", async ({
  page,
}) => {
  await holdTimers(page, NOTICE_MS);
  await signIn(page);
  for (const path of ["/app", "/app/"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { name: "Pinterest Accounts" })).toBeVisible();
  }
  await expect(page.getByText("Low", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Connect Account" }).click();
  await page.getByRole("button", { name: "Deny" }).click();
  await expect(page.getByTestId("notice")).toContainText("declined the connection on Pinterest");
  await expect(page).toHaveURL("/app/");
  await page.goto("/app/?success=%3Cimg%20src%3Dx%3E");
  await expect(page.getByTestId("notice")).toContainText("Pinterest account connected successfully!");
  await expect(page.getByText("<img")).toBeHidden();
  await expect.poll(() => new URL(page.url()).search).toBe("");
});
