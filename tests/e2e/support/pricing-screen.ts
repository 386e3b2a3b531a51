import { expect, type Page } from "@playwright/test";

export const card = (page: Page, name: string) =>
  page.locator("[data-slot=plan]").filter({ has: page.getByRole("heading", { name, exact: true }) });
export const action = (page: Page, name: string) => card(page, name).getByRole("button");
export const red = (page: Page, text: string) =>
  page.locator("[data-slot=banner][data-tone=failed]").filter({ hasText: text });
export const banner = (page: Page) => page.locator("[data-slot=pricing-panel] [data-slot=banner]").first();
export const notice = (page: Page) => page.getByTestId("notice");

export const openFor = async (page: Page, plan: string): Promise<void> => {
  await page.goto("/pricing");
  await expect(banner(page)).toContainText(`Your plan: ${plan}.`, { timeout: 30_000 });
};
