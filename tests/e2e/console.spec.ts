import { expect } from "@playwright/test";
import { startConsoleHouse } from "../support/console-house.ts";
import { test } from "./support/test.ts";

let house: Awaited<ReturnType<typeof startConsoleHouse>>;
test.beforeAll(async () => {
  house = await startConsoleHouse();
});
/** A busy machine may take long to bring the page up to date. */
const PATIENT = { timeout: 60_000 };
test.afterAll(() => house.close());

test("R-SRV-10 a fault is switched on and off by keyboard; the page keeps itself up to date without taking the focus", async ({
  page,
}) => {
  await page.goto(`${house.url}/stand-ins/pinterest`);
  await page.getByText("POST /v5/pins 18 faults").click();
  await page.getByRole("button", { name: "Keep on: spam-block" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("status")).toHaveText("The fault is on.", PATIENT);
  const off = page.getByRole("button", { name: "Switch off spam-block" });
  await expect(off).toBeVisible();
  const field = page.getByLabel("Listing lag seconds");
  await field.fill("12");
  await fetch(`${house.pinterest.url}/v5/user_account`);
  await expect(page.getByRole("region", { name: "Latest calls" })).toContainText("GET /v5/user_account", PATIENT);
  await expect(field).toBeFocused();
  await expect(field).toHaveValue("12");
  await off.click();
  await expect(page.getByRole("status")).toHaveText("Switched off.", PATIENT);
  await expect(page.getByText("None. Everything is answered as it should be.")).toBeVisible();
});
