import { expect, type Page } from "@playwright/test";
import { drafts, fillWall, type WallPin } from "./support/library.ts";
import { connectQuickly, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const cards = (page: Page) => page.locator("[data-slot=post]");
const pick = (page: Page, title: string) => page.getByRole("checkbox", { name: `Select ${title}` }).first();
const titles = (page: Page) => page.locator("[data-slot=post] .slip-title");
const search = (page: Page) => page.getByRole("searchbox", { name: "Search pins" });
const tab = (page: Page, word: string) => page.getByRole("tab", { name: new RegExp(`^${word}`) });

const open = async (page: Page, path = "/app/generated-posts"): Promise<void> => {
  await page.goto(path);
  await expect(page.locator("[inert]")).toHaveCount(0);
  await expect(page.getByRole("tabpanel")).toHaveAttribute("aria-busy", "false");
};

const arrange = async (page: Page, pins: readonly WallPin[]) => {
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  await fillWall(page, { token, accountId: id }, pins);
  await open(page);
  return { id, token };
};

const KITCHEN: WallPin[] = [
  { title: "Slow Sunday bread", keyword: "baking" },
  { title: "Citrus for grey days", keyword: "winter desserts", status: "scheduled" },
  { title: "Bread without kneading", keyword: "weekend", status: "published" },
  { title: "A quiet bedroom", keyword: "linen" },
  { title: "Évening light", keyword: "bread and butter", status: "failed" },
];

test("R-FEAT-02, R-POST-02 every tab has its count, and a search counts what it finds", async ({ page }) => {
  await arrange(page, KITCHEN);
  for (const [word, count] of Object.entries({ All: 5, Published: 1, Scheduled: 1, Draft: 2, Failed: 1 })) {
    await expect(tab(page, word)).toHaveText(`${word}${count}`);
  }
  await page.keyboard.press("/");
  await expect(search(page)).toBeFocused();
  await page.keyboard.type("BREAD");
  await expect(titles(page)).toHaveText(["Slow Sunday bread", "Bread without kneading", "Évening light"]);
  for (const [word, count] of Object.entries({ All: 3, Published: 1, Scheduled: 0, Draft: 1, Failed: 1 })) {
    await expect(tab(page, word)).toHaveText(`${word}${count}`);
  }
  expect(new URL(page.url()).searchParams.get("q")).toBe("BREAD");
  await page.reload();
  await expect(page.locator("[inert]")).toHaveCount(0);
  await expect(search(page)).toHaveValue("BREAD");
  await expect(cards(page)).toHaveCount(3);
  await search(page).press("Escape");
  await expect(search(page)).toHaveValue("");
  await expect(cards(page)).toHaveCount(5);
  await expect(search(page)).toBeFocused();
  expect(new URL(page.url()).searchParams.has("q")).toBe(false);
});

test("R-POST-06 150 pins come page by page on the way down, each once, and what is far away weighs nothing", async ({
  page,
}) => {
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
  // The first sheet, once the focus has left it, is a height only, and comes back with what was chosen.
  await search(page).focus();
  await page.mouse.wheel(0, 60_000);
  await expect.poll(() => cards(page).count()).toBeLessThan(150);
  await expect(page.getByText("1 selected")).toBeVisible();
  await page.mouse.wheel(0, -100_000);
  await expect(titles(page).first()).toHaveText("Draft 1");
  await expect(pick(page, "Draft 2")).toBeChecked();
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });
});
