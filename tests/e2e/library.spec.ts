import { expect, type Page } from "@playwright/test";
import { drafts, fillWall, type WallPin } from "./support/library.ts";
import { untilLive, withDatabase } from "./support/live.ts";
import { breakCall, connectQuickly, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const POSTS = "**/api/users/pinterest/generated-pins/**";
const cards = (page: Page) => page.locator(".post");
const pick = (page: Page, title: string) => page.getByRole("checkbox", { name: `Select ${title}` }).first();
const chosen = (page: Page) => page.getByRole("checkbox", { checked: true });
const titles = (page: Page) => page.locator(".post .slip-title");
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

test("R-FEAT-02 a search that finds nothing says so, leads to where something is, and is cleared", async ({ page }) => {
  await arrange(page, KITCHEN);
  await tab(page, "Scheduled").click();
  await search(page).fill("bread");
  await expect(page.getByRole("heading", { name: "Nothing found for “bread”" })).toBeVisible();
  await page.getByRole("button", { name: "Show 3 in all pins" }).click();
  await expect(cards(page)).toHaveCount(3);
  await search(page).fill("bread nowhere");
  await expect(page.getByRole("heading", { name: "Nothing found for “bread nowhere”" })).toBeVisible();
  await page.getByRole("button", { name: "Clear the search" }).click();
  await expect(cards(page)).toHaveCount(5);
  await expect(search(page)).toHaveValue("");
});

test("R-FEAT-02 four orders, kept in the address", async ({ page }) => {
  await arrange(page, KITCHEN);
  const order = page.getByLabel("Order");
  await order.selectOption("oldest");
  await expect(titles(page).first()).toHaveText("Évening light");
  await order.selectOption("title");
  await expect(titles(page)).toHaveText([
    "A quiet bedroom",
    "Bread without kneading",
    "Citrus for grey days",
    "Évening light",
    "Slow Sunday bread",
  ]);
  await order.selectOption("due");
  await expect(titles(page).first()).toHaveText("Citrus for grey days");
  await page.reload();
  await expect(order).toHaveValue("due");
  await expect(titles(page).first()).toHaveText("Citrus for grey days");
  await order.selectOption("newest");
  await expect(titles(page).first()).toHaveText("Slow Sunday bread");
  expect(new URL(page.url()).searchParams.has("sort")).toBe(false);
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

test("R-POST-06 without a pointer more pins are asked for by a button, and the focus goes on with the first of them", async ({
  page,
}) => {
  await page.addInitScript(() => {
    // A browser that never tells what is in view.
    window.IntersectionObserver = class {
      observe() {}
      unobserve() {}
      disconnect() {}
      takeRecords() {
        return [];
      }
    } as unknown as typeof IntersectionObserver;
  });
  await arrange(page, drafts(70));
  await expect(cards(page)).toHaveCount(60);
  await expect(page.getByText("60 of 70 shown")).toBeVisible();
  const more = page.getByRole("button", { name: "Show more" });
  await breakCall(page, POSTS);
  await more.press("Enter");
  await expect(page.getByText("The next pins could not be loaded.")).toBeVisible();
  await page.getByRole("button", { name: "Try again" }).press("Enter");
  await expect(cards(page)).toHaveCount(70);
  await expect(page.getByRole("button", { name: "Pin Details: Draft 61" })).toBeFocused();
});

test("R-POST-09, A-35 Shift chooses everything between, drafts only, in the direction of the hand, by key as well", async ({
  page,
}) => {
  const pins = drafts(8).map((pin, at): WallPin => (at === 3 ? { ...pin, status: "published" } : pin));
  await arrange(page, pins);
  await pick(page, "Draft 6").click();
  await pick(page, "Draft 2").click({ modifiers: ["Shift"] });
  await expect(chosen(page)).toHaveCount(4);
  const places = { "Draft 6": 1, "Draft 5": 2, "Draft 3": 3, "Draft 2": 4 };
  for (const [title, place] of Object.entries(places)) {
    await expect(pick(page, title)).toHaveAccessibleName(`Select ${title}, chosen as number ${place}`);
  }
  await pick(page, "Draft 8").focus();
  await page.keyboard.press("Shift+Space");
  await expect(page.getByText("6 selected")).toBeVisible();
  await pick(page, "Draft 3").click({ modifiers: ["Shift"] });
  await expect(page.getByText("1 selected")).toBeVisible();
  await expect(pick(page, "Draft 2")).toBeChecked();
});

test("R-POST-05 all drafts that the search finds are chosen, also those that are not loaded yet", async ({ page }) => {
  const pins = [
    ...drafts(130).map(({ title }) => ({ title, keyword: "ridge walks" })),
    { title: "Another thing", keyword: "linen" },
    { title: "Out already", keyword: "ridge walks", status: "published" as const },
  ];
  await arrange(page, pins);
  await search(page).fill("ridge");
  await expect(tab(page, "All")).toHaveText("All131");
  await page.getByRole("button", { name: "Select all drafts" }).click();
  await expect(page.getByText("130 selected")).toBeVisible();
  await search(page).press("Escape");
  await expect(tab(page, "All")).toHaveText("All132");
  await expect(page.getByText("130 selected")).toBeVisible();
  await expect(pick(page, "Draft 1")).toBeChecked();
  await tab(page, "Published").click();
  await expect(cards(page)).toHaveCount(1);
  await expect(page.getByRole("button", { name: "Select all drafts" })).toBeDisabled();
});

test("R-POST-05 of more drafts than may go at once the first are chosen, and it says so", async ({ page }) => {
  await arrange(page, drafts(10_000));
  await expect(tab(page, "Draft")).toHaveText("Draft10,000");
  await expect(cards(page)).toHaveCount(60);
  await page.getByRole("button", { name: "Select all drafts" }).click();
  await expect(page.getByText("The first 500 of 10,000 drafts are chosen: no more go at once.")).toBeVisible();
  await expect(page.getByText("500 selected")).toBeVisible();
  // Of thousands only a few sheets are ever there.
  for (let sheets = 2; sheets <= 9; sheets += 1) {
    // A page that is still being laid out ends where it ended before.
    await expect(async () => {
      await page.mouse.wheel(0, 60_000);
      await expect(page.getByText(`${sheets * 60} of 10,000 shown`)).toBeAttached({ timeout: 2_000 });
    }).toPass({ timeout: 30_000 });
  }
  await expect.poll(() => cards(page).count()).toBeLessThan(360);
  await search(page).fill("9999");
  await expect(titles(page)).toHaveText(["Draft 9999"]);
  await expect(page.getByText("1 pin found.")).toBeAttached();
  await expect(page.getByText("500 selected")).toBeVisible();
});

test("R-POST-09 a chosen draft that is not shown falls out when it is no longer one, and counts follow the stream", async ({
  page,
}) => {
  const { id } = await arrange(page, drafts(65));
  await untilLive(page);
  await page.getByRole("button", { name: "Select all drafts" }).click();
  await expect(page.getByText("65 selected")).toBeVisible();
  const changed = await withDatabase(
    (sql) => sql`update pins set status = 'failed', reason = 'For a test.'
                 where account_id = ${id} and title in ('Draft 1', 'Draft 65') returning id`,
  );
  expect(changed).toHaveLength(2);
  await expect(page.getByText("63 selected")).toBeVisible({ timeout: 30_000 });
  await expect(tab(page, "Failed")).toHaveText("Failed2");
  await expect(tab(page, "Draft")).toHaveText("Draft63");
  // What is on a page still to come is not news.
  await expect(page.getByRole("button", { name: "Refresh", exact: true })).toBeVisible();
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test("R-FEAT-02 search and order fit, and fingers hit them", async ({ page }) => {
    await arrange(page, KITCHEN);
    for (const control of [search(page), page.getByLabel("Order"), page.getByRole("button", { name: "Refresh" })]) {
      const box = await control.boundingBox();
      expect(box?.height).toBeGreaterThanOrEqual(44);
      expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(390);
    }
    await search(page).fill("bread");
    await page.getByRole("button", { name: "Clear search" }).tap();
    await expect(cards(page)).toHaveCount(5);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });
});
