import { expect, type Page } from "@playwright/test";
import { photo } from "#tests/support/sample-pictures.ts";
import { makeDrafts } from "./support/drafts.ts";
import { dress, lookAt, THEMES, WIDTHS } from "./support/looks.ts";
import { connectQuickly, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const bar = (page: Page) => page.getByRole("region", { name: "Schedule the selected pins" });

const openReview = async (page: Page, titles: readonly string[]) => {
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  await makeDrafts(page, { token, accountId: id }, titles);
  await page.goto(`/app/generated-posts/review?account=${id}`);
  await expect(page.locator("[inert]")).toHaveCount(0);
};

/** Presses a button by key once the choices before it have been recorded. */
const pressKey = async (page: Page, name: string) => {
  const button = page.getByRole("button", { name, exact: true });
  await expect(button).not.toHaveAttribute("aria-busy");
  await button.press("Enter");
};

test("D9 once the rejected are deleted, the last choice that is left can be taken back, and no other", async ({
  page,
}) => {
  await openReview(page, ["Cabin", "Ridge"]);
  await page.keyboard.press("a");
  await page.keyboard.press("x");
  await expect(page.getByText("1 draft approved, 1 draft rejected.")).toBeVisible();
  await pressKey(page, "Delete 1 draft");
  await expect(page.getByText("1 draft approved, 0 drafts rejected.")).toBeVisible();
  await pressKey(page, "Undo the last choice");
  await expect(page.getByRole("heading", { name: "Cabin", exact: true })).toBeVisible();
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await pressKey(page, "Delete 1 draft");
  await expect(page.getByText("0 drafts approved, 0 drafts rejected.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Undo the last choice" })).toBeHidden();
});

test("D9 a choice that is refused takes nothing from what is being typed by then", async ({ page }) => {
  await openReview(page, ["Cabin", "Ridge"]);
  const { promise: gate, resolve: refuse } = Promise.withResolvers<void>();
  const fails = async (route: import("@playwright/test").Route) => {
    if (route.request().method() !== "POST") return route.continue();
    await gate;
    await route.fulfill({ status: 500, body: "" });
  };
  await page.route(/\/app\/generated-posts\/review/, fails);
  await page.keyboard.press("a");
  await expect(page.getByRole("heading", { name: "Ridge", exact: true })).toBeVisible();
  await page.keyboard.press("e");
  const title = page.getByLabel("Title", { exact: true });
  await title.fill("Typed with care");
  refuse();
  await expect(page.getByTestId("notice")).toBeVisible();
  await expect(title).toHaveValue("Typed with care");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.keyboard.press("k");
  await expect(page.locator(".review-card").getByText("Approved")).toBeHidden();
});

test("D9 scheduling the approved leads to the bar that schedules them, the focus too", async ({ page }) => {
  await openReview(page, ["Cabin"]);
  await page.keyboard.press("a");
  await pressKey(page, "Schedule 1 draft");
  await expect(page.getByText("1 selected")).toBeVisible();
  await expect(bar(page)).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(bar(page).getByRole("button", { name: "Clear" })).toBeFocused();
});

test("A-02 an empty wall and an empty review name both ways to pins", async ({ page }) => {
  const { token } = await signIn(page);
  await connectQuickly(page, token);
  for (const path of ["/app/generated-posts", "/app/generated-posts/review"]) {
    await page.goto(path);
    const main = page.getByRole("main");
    await expect(main.getByRole("link", { name: "Make pins from keywords" })).toBeVisible();
    await expect(main.getByRole("link", { name: "Manual Pin Creation" })).toHaveAttribute("href", "/app/create-pin");
  }
});

test("D9, R-BULK-07, A-15 the review and its end at every width, by day and by night, with a wide picture whole in its frame", async ({
  page,
}) => {
  test.setTimeout(240_000);
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  const titles = ["A wide one from the garden behind the house, with a longer title", "Moss walls"];
  await makeDrafts(page, { token, accountId: id, url: "http://127.0.0.1/", picture: await photo(600, 900) }, titles);
  const look = async (name: string) => {
    for (const theme of THEMES) {
      for (const width of WIDTHS) {
        await dress(page, width, theme);
        await lookAt(page, `${name}-${width}-${theme}`);
      }
    }
  };
  await page.goto(`/app/generated-posts/review?account=${id}`);
  await expect(page.locator("[inert]")).toHaveCount(0);
  const face = page.locator(".review-card .pin-face").first();
  await expect(face.locator("img")).toHaveCSS("object-fit", "contain");
  expect(await face.evaluate((one) => one.clientWidth / one.clientHeight)).toBeCloseTo(9 / 14, 2);
  await look("review");
  await page.keyboard.press("a");
  await page.keyboard.press("x");
  await expect(page.getByRole("heading", { name: "All looked at" })).toBeVisible();
  await look("review-end");
});
