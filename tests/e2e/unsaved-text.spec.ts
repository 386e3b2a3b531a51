import { expect } from "@playwright/test";
import { login } from "./support/person.ts";
import { connectQuickly, signIn } from "./support/quick.ts";
import { afterEffects, test } from "./support/test.ts";

test("R-NAV-04, R-NAV-08 unsaved colors survive navigation, reloading asks for confirmation, and logging out discards them", async ({
  page,
}) => {
  const { token, who } = await signIn(page);
  await connectQuickly(page, token);
  await page.goto("/app/brand");
  const plum = page.getByRole("button", { name: "Plum" });
  await plum.click();
  await expect(plum).toHaveAttribute("aria-pressed", "true");
  await page.getByRole("link", { name: "Settings" }).first().click();
  await expect(page.getByRole("heading", { level: 1, name: "Settings" })).toBeVisible();
  await page.getByRole("link", { name: "Brand Kit" }).first().click();
  await expect(plum).toHaveAttribute("aria-pressed", "true");
  await afterEffects(page);
  const dialogEvent = page.waitForEvent("dialog");
  const leaving = page.reload();
  const dialog = await dialogEvent;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.accept();
  await leaving;
  await expect(plum).toHaveAttribute("aria-pressed", "false");

  // Logging out discards unsaved changes.
  await plum.click();
  await page.getByRole("link", { name: "Settings" }).first().click();
  await expect(page.getByRole("heading", { level: 1, name: "Settings" })).toBeVisible();
  await page.getByRole("button", { name: "Logout" }).click();
  await page.waitForURL(/\/login/);
  // No page load in between, so state could survive in memory.
  await login(page, who);
  await page.getByRole("link", { name: "Brand Kit" }).first().click();
  await expect(plum).toHaveAttribute("aria-pressed", "false");
});
