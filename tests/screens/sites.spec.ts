import { expect } from "@playwright/test";
import { newPage, setContent } from "#tests/e2e/support/links.ts";
import { connectQuickly, fixtures, signIn } from "#tests/e2e/support/quick.ts";
import { checkAppearances, setFirstAppearance, WIDTHS } from "#tests/e2e/support/screens.ts";
import { test } from "#tests/e2e/support/test.ts";
import { rssOf } from "#tests/support/fixture-site/feeds.ts";
import { READABLE_PAGES } from "#tests/support/fixture-site/pages.ts";

test("pages of a site at three widths in both themes", { tag: "@screens" }, async ({ page }) => {
  test.setTimeout(300_000);
  const { token } = await signIn(page);
  await connectQuickly(page, token);
  const feed = await newPage(200);
  await setContent(feed, "application/rss+xml", rssOf(new URL(feed).origin, READABLE_PAGES.slice(0, 8)));
  await setFirstAppearance(page);
  await page.goto("/app/pages");
  await page.getByLabel("Your site").fill("nothing here");
  await page.getByRole("button", { name: "Find pages" }).click();
  await expect(page.getByText("This isn't the URL of a site.")).toBeVisible();
  await checkAppearances(page, "sites");
  await page.getByLabel("Your site").fill(feed);
  await page.getByRole("button", { name: "Find pages" }).click();
  await page.getByRole("button", { name: "Watch for new pages" }).click();
  await expect(page.getByText("You're watching this site.")).toBeVisible();
  await page.getByRole("checkbox", { name: "Rye crispbread" }).check();
  await checkAppearances(page, "sites-found");
});

test("new pages of a watched site and their badge at three widths in both themes", { tag: "@screens" }, async ({
  page,
}) => {
  test.setTimeout(300_000);
  const { who, token } = await signIn(page);
  await connectQuickly(page, token);
  await fixtures().newPages(who, READABLE_PAGES.slice(0, 3));
  await setFirstAppearance(page);
  await page.goto("/app/pages");
  await expect(page.getByRole("heading", { name: "New pages (3)" })).toBeVisible();
  await page.getByRole("checkbox", { name: "Rye crispbread" }).check();
  const badge = page.locator("[data-slot=new-pages]").filter({ visible: true });
  await checkAppearances(page, "sites-new", async (width) => {
    // On phones it is in the drawer.
    if (width >= WIDTHS[1]) await expect(badge).toHaveText("3 new pages");
  });
});
