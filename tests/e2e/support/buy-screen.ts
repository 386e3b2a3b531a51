import { expect, type Page } from "@playwright/test";
import { formatCount } from "#lib/core/text.ts";
import { overlay } from "./buying.ts";

export const pack = (page: Page, credits: number) =>
  page.getByRole("radio", { name: new RegExp(`^${formatCount(credits)} credits`) });
export const summary = (page: Page) => page.getByRole("complementary", { name: "Your purchase" });
export const button = (page: Page) => summary(page).getByRole("button");
/** Errors appear in a red banner (R-BUY-23, R-ERR-28). */
export const red = (page: Page) => page.locator("[data-slot=banner][data-tone=failed][role=alert]");
export const balance = (page: Page) => page.getByTestId("buy-balance");

/** Selects a pack and waits until the overlay shows its card form. */
export const openPack = async (page: Page, credits: number): Promise<void> => {
  await pack(page, credits).check();
  await button(page).click();
  await expect(overlay(page).getByRole("heading", { name: "Payment" })).toBeVisible({ timeout: 60_000 });
};
