import { expect } from "@playwright/test";
import { newPage, setPage } from "./support/links.ts";
import { signInConfirmed } from "./support/quick.ts";
import { checkAppearances } from "./support/screens.ts";
import { test } from "./support/test.ts";

test("add a webhook, send a test event, see why it failed, and send it again", { tag: "@screens" }, async ({
  page,
}) => {
  test.setTimeout(180_000);
  await signInConfirmed(page);
  const url = await newPage(500);
  await page.goto("/app/settings");
  await page.getByRole("link", { name: "Manage webhooks" }).click();
  await page.getByRole("button", { name: "Add a webhook" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("URL").fill("http://127.0.0.1/");
  await dialog.getByRole("button", { name: "Add webhook" }).click();
  await expect(dialog.getByText("Enter a URL that starts with https://, without a port")).toBeVisible();
  await dialog.getByLabel("URL").fill(url);
  await dialog.getByLabel("Description").fill("Shop system");
  await dialog.getByRole("checkbox", { name: "Credits low" }).uncheck();
  await dialog.getByRole("button", { name: "Add webhook" }).click();
  await expect(page.getByTestId("webhook-secret")).toHaveText(/^whsec_/);
  await page.getByRole("button", { name: "I've saved it" }).click();
  await expect(page.getByRole("heading", { name: "Shop system" })).toBeVisible();

  const deliveries = page.getByRole("list", { name: "Deliveries" });
  await page.getByRole("button", { name: "Send test event" }).click();
  await expect(deliveries.getByText("Failed")).toBeVisible({ timeout: 30_000 });
  await deliveries.getByRole("button", { name: "Details" }).click();
  await expect(deliveries.getByText("Your server responded with status 500.")).toBeVisible();
  await checkAppearances(page, "webhooks-delivery");
  await setPage(url, 200);
  await deliveries.getByRole("button", { name: "Send again" }).click();
  await expect(deliveries.getByText("Delivered")).toBeVisible({ timeout: 30_000 });
  await expect(deliveries.getByText(/^Attempt 2/)).toBeVisible();

  await page.getByRole("button", { name: "Turn off" }).click();
  await page.getByRole("button", { name: "Turn off webhook" }).click();
  await expect(page.getByRole("button", { name: "Turn on" })).toBeVisible();
  await page.getByRole("button", { name: "Hide deliveries" }).click();
  await checkAppearances(page, "webhooks");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete webhook" }).click();
  await expect(page.getByText("No webhooks yet")).toBeVisible();
});
