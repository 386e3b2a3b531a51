import { expect } from "@playwright/test";
import { newPage, setContent } from "#tests/e2e/support/links.ts";
import { connectQuickly, signIn } from "#tests/e2e/support/quick.ts";
import { checkAppearances, setFirstAppearance } from "#tests/e2e/support/screens.ts";
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
  await expect(page.getByText("This isn't the address of a site.")).toBeVisible();
  await checkAppearances(page, "sites");
  await page.getByLabel("Your site").fill(feed);
  await page.getByRole("button", { name: "Find pages" }).click();
  await page.getByRole("button", { name: "Watch for new pages" }).click();
  await expect(page.getByText("You're watching this site.")).toBeVisible();
  await page.getByRole("checkbox", { name: "Rye crispbread" }).check();
  await checkAppearances(page, "sites-found");
});
