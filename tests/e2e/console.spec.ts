import { expect } from "@playwright/test";
import { startConsoleHarness } from "../support/console-harness.ts";
import { test } from "./support/test.ts";

let harness: Awaited<ReturnType<typeof startConsoleHarness>>;
test.beforeAll(async () => {
  harness = await startConsoleHarness();
});
/** A busy machine may take long to update the page. */
const LONG_WAIT = { timeout: 60_000 };
test.afterAll(() => harness.close());

test("R-SRV-10 faults are turned on and off by keyboard, and the page updates without moving the focus", async ({
  page,
}) => {
  await page.goto(`${harness.url}/stand-ins/pinterest`);
  await page.getByText("POST /v5/pins 19 faults").click();
  await page.getByRole("button", { name: "Keep on: spam-block" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("status")).toHaveText("Fault turned on.", LONG_WAIT);
  const off = page.getByRole("button", { name: "Turn off spam-block" });
  await expect(off).toBeVisible();
  const field = page.getByLabel("Listing lag seconds");
  await field.fill("12");
  await fetch(`${harness.pinterest.url}/v5/user_account`);
  await expect(page.getByRole("region", { name: "Latest calls" })).toContainText("GET /v5/user_account", LONG_WAIT);
  await expect(field).toBeFocused();
  await expect(field).toHaveValue("12");
  await off.click();
  await expect(page.getByRole("status")).toHaveText("Fault turned off.", LONG_WAIT);
  await expect(page.getByText("None. Every call gets a normal response.")).toBeVisible();
});
