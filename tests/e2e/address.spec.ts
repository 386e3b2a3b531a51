import { expect, type Page } from "@playwright/test";
import { seedPins } from "./support/library.ts";
import { connectQuickly, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const POSTS = "/app/generated-posts";

const arrange = async (page: Page): Promise<string> => {
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  await seedPins(id, [{ title: "Slow Sunday bread" }, { title: "A quiet bedroom", status: "published" }]);
  return id;
};

/** Holds the router's requests for a page until they are released; documents pass through. */
const holdNavigation = async (page: Page, path: string) => {
  let count = 0;
  const { promise: gate, resolve: release } = Promise.withResolvers<void>();
  await page.route(
    (url) => url.pathname === path,
    async (route) => {
      const headers = route.request().headers();
      // With a prefetched loading state the old screen would disappear before the response.
      if (headers["next-router-prefetch"]) return route.abort();
      if (!headers.rsc) return route.continue();
      count += 1;
      await gate;
      await route.continue();
    },
  );
  return { count: () => count, release };
};

test("R-AUTH-01, R-POST-02 writing the account into the URL does not cancel the redirect to the login", async ({
  page,
}) => {
  await arrange(page);
  await page.evaluate(() => localStorage.clear());
  const held = await holdNavigation(page, "/login");
  await page.goto(POSTS);
  await expect.poll(held.count).toBeGreaterThan(0);
  held.release();
  await page.waitForURL(/\/login$/, { timeout: 30_000 });
});

test("R-POST-02 a link clicked during a search opens its page; Back goes from tab to tab", async ({ page }) => {
  const accountId = await arrange(page);
  const held = await holdNavigation(page, "/app/board-manager");
  await page.goto(POSTS);
  await expect(page.locator("[inert]")).toHaveCount(0);
  await expect(page).toHaveURL(`${POSTS}?account=${accountId}`);
  // Typed and clicked in one task, before the search is applied.
  await page.evaluate(() => {
    const field = document.querySelector<HTMLInputElement>("input[type=search]");
    const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set;
    setValue?.call(field, "bread");
    field?.dispatchEvent(new InputEvent("input", { bubbles: true }));
    document.querySelector<HTMLAnchorElement>("a[href='/app/board-manager']")?.click();
  });
  await expect.poll(held.count).toBe(1);
  await expect(page.locator("[data-slot=pin-card] .pin-caption-title")).toHaveText(["Slow Sunday bread"]);
  held.release();
  await expect(page).toHaveURL("/app/board-manager");
  await expect(page.getByRole("heading", { level: 1, name: "Board Manager" })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(`${POSTS}?account=${accountId}`);
  await expect(page.getByRole("searchbox", { name: "Search pins" })).toHaveValue("");

  const tab = (word: string) => page.getByRole("tab", { name: new RegExp(`^${word}`) });
  const search = page.getByRole("searchbox", { name: "Search pins" });
  const titles = page.locator("[data-slot=pin-card] .pin-caption-title");
  await page.goto("/app");
  await expect(page.locator("[inert]")).toHaveCount(0);
  await page.getByRole("link", { name: "Generated Posts" }).first().click();
  await expect(page).toHaveURL(`${POSTS}?account=${accountId}`);
  await tab("Published").click();
  await expect(page).toHaveURL(`${POSTS}?account=${accountId}&status=published`);
  await search.fill("bedroom");
  await expect(page).toHaveURL(`${POSTS}?account=${accountId}&status=published&q=bedroom`);
  await tab("Draft").click();
  await expect(page).toHaveURL(/status=draft&q=bedroom$/);
  await page.goBack();
  await expect(tab("Published")).toHaveAttribute("aria-selected", "true");
  await expect(titles).toHaveText(["A quiet bedroom"]);
  await expect(search).toHaveValue("bedroom");
  await page.goBack();
  await expect(tab("All")).toHaveAttribute("aria-selected", "true");
  await expect(search).toHaveValue("");
  await expect(titles).toHaveCount(2);
  await page.goForward();
  await expect(titles).toHaveText(["A quiet bedroom"]);
  await page.goBack();
  await page.goBack();
  await expect(page).toHaveURL("/app");
});
