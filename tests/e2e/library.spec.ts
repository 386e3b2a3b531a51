import { expect, type Page } from "@playwright/test";
import { drafts, type PinSeed, seedPins } from "./support/library.ts";
import { connectQuickly, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const cards = (page: Page) => page.locator("[data-slot=pin-card]");
const pick = (page: Page, title: string) => page.getByRole("checkbox", { name: `Select ${title}` }).first();
const titles = (page: Page) => page.locator("[data-slot=pin-card] .pin-caption-title");
const search = (page: Page) => page.getByRole("searchbox", { name: "Search pins" });
const tab = (page: Page, word: string) => page.getByRole("tab", { name: new RegExp(`^${word}`) });

const open = async (page: Page, path = "/app/generated-posts"): Promise<void> => {
  await page.goto(path);
  await expect(page.locator("[inert]")).toHaveCount(0);
  await expect(page.getByRole("tabpanel")).toHaveAttribute("aria-busy", "false");
};

const arrange = async (page: Page, pins: readonly PinSeed[]) => {
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  await seedPins(id, pins);
  await open(page);
  return { id, token };
};

test("R-POST-06 loads 150 pins page by page on scroll, each once, and renders only nearby pages", async ({ page }) => {
  await arrange(page, drafts(150));
  await expect(tab(page, "Draft")).toHaveText("Draft150");
  await pick(page, "Draft 2").check();
  const seen = new Set<string>();
  await expect(async () => {
    for (const title of await titles(page).allTextContents()) seen.add(title);
    await page.mouse.wheel(0, 1_500);
    expect(seen.size).toBe(150);
  }).toPass({ timeout: 60_000, intervals: [100] });
  await expect(page.getByText("150 of 150 shown")).toBeVisible();
  await expect(page.getByRole("button", { name: "Show more" })).toBeHidden();
  // Once the focus has left it, the first page is only a placeholder, and comes back with its selection.
  await search(page).focus();
  await page.mouse.wheel(0, 60_000);
  await expect.poll(() => cards(page).count()).toBeLessThan(150);
  await expect(page.getByText("1 selected")).toBeVisible();
  await page.mouse.wheel(0, -100_000);
  await expect(titles(page).first()).toHaveText("Draft 1");
  await expect(pick(page, "Draft 2")).toBeChecked();
});
