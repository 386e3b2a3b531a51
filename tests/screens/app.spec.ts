import { expect, type Page } from "@playwright/test";
import { eq } from "drizzle-orm";
import { logins } from "#db/schema/identity.ts";
import { creatorRowsUrl } from "#lib/core/paths.ts";
import { openAnalyticsPage, signInWithAnalytics } from "#tests/e2e/support/analytics.ts";
import { grant } from "#tests/e2e/support/grant.ts";
import { newPage, setContent } from "#tests/e2e/support/links.ts";
import { connectQuickly, fixtures, generateQuickly, pasteLines, signIn } from "#tests/e2e/support/quick.ts";
import { checkAppearances, setFirstAppearance } from "#tests/e2e/support/screens.ts";
import { test } from "#tests/e2e/support/test.ts";
import { jsonLd } from "#tests/support/web-pages/fixture.ts";

// Each test has its own user; one after another, they would keep a single worker busy at the end of a run.
test.describe.configure({ mode: "parallel" });

const KEYWORDS = [
  "cabins in the woods",
  "slow sunday bread",
  "small balcony garden",
  "linen bedding",
  "coast packing list",
  "forbidden subject",
  "citrus desserts",
  "beginner quilting",
  "winter branches",
  "quiet bedroom",
  "ridge hikes",
  "kitchen tile ideas",
];

const CREATOR = "/app/evertack-creator";

const PRODUCT_PAGE = `<html><head><title>Fern mug</title>${jsonLd({
  ...{ "@type": "Product", name: "Fern mug" },
  offers: { price: "24.50", priceCurrency: "USD" },
})}</head><body><h1>Fern mug</h1><p>Thrown by hand, fired twice, and safe in the dishwasher.</p></body></html>`;

const openSettled = async (page: Page, path: string): Promise<void> => {
  await page.goto(path);
  await expect(page.locator("[inert]")).toHaveCount(0);
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
};

/** Opens a screen in the first appearance. */
const openFirst = async (page: Page, path: string): Promise<void> => {
  await setFirstAppearance(page);
  await openSettled(page, path);
};

test("R-BRD-03 accounts, boards, settings and the creator at three widths in both themes", { tag: "@screens" }, async ({
  page,
}) => {
  test.setTimeout(300_000);
  const { who, token } = await signIn(page);
  await openFirst(page, "/app");
  await checkAppearances(page, "accounts-empty");
  const { username } = await connectQuickly(page, token);
  await openFirst(page, "/app");
  await checkAppearances(page, "accounts");
  await page.getByRole("button", { name: `Remove ${username}`, exact: true }).click();
  await expect(page.getByRole("dialog").getByRole("button", { name: "Keep it" })).toBeVisible();
  await checkAppearances(page, "dialogs");
  await openFirst(page, "/app/board-manager");
  await checkAppearances(page, "boards");
  await openFirst(page, "/app/settings");
  await checkAppearances(page, "settings");
  await fixtures().db.update(logins).set({ confirmedAt: null }).where(eq(logins.userId, who.id));
  await page.getByRole("button", { name: "Change email" }).click();
  await page.getByLabel("New email").fill("fern@example.org");
  await page.getByRole("button", { name: "Send link" }).click();
  await expect(page.getByRole("dialog", { name: "Confirm that it's you" })).toBeVisible();
  await checkAppearances(page, "settings-confirm");
  await openFirst(page, CREATOR);
  await checkAppearances(page, "creator");
});

test("R-TRK-01 the progress panel while running and when done, at three widths in both themes", {
  tag: "@screens",
}, async ({ page }) => {
  test.setTimeout(300_000);
  const { who, token } = await signIn(page);
  await connectQuickly(page, token);
  await grant(who.email, 40);
  await openSettled(page, CREATOR);
  await page.getByLabel("Board", { exact: true }).selectOption({ index: 2 });
  await page.getByLabel("Keyword 1", { exact: true }).click();
  await pasteLines(page, KEYWORDS);
  await page.getByRole("button", { name: "Generate Content" }).click();
  await expect(page.getByText(`of ${KEYWORDS.length} finished`)).toBeVisible();
  await checkAppearances(page, "progress");
  await expect(page.getByText("Pin generation complete!")).toBeVisible({ timeout: 90_000 });
  await expect(page.getByText("1 pin(s) failed to generate.")).toBeVisible();
  await checkAppearances(page, "progress-done");
});

test("R-POST-06 Generated Posts and Pin Details at three widths in both themes", { tag: "@screens" }, async ({
  page,
}) => {
  test.setTimeout(300_000);
  const { who, token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  await grant(who.email, 40);
  await generateQuickly(page, token, id, KEYWORDS);
  const select = (at: number) =>
    page
      .getByRole("checkbox", { name: /^Select / })
      .nth(at)
      .check();
  await openSettled(page, "/app/generated-posts");
  await select(0);
  await select(1);
  await page.getByRole("button", { name: "Schedule 2 pins" }).click();
  await expect(page.getByRole("listitem").getByText("Published")).toHaveCount(1, { timeout: 60_000 });
  await openSettled(page, "/app/generated-posts");
  for (const at of [0, 1, 2]) await select(at);
  await checkAppearances(page, "posts");
  await openSettled(page, "/app/generated-posts?status=published");
  await page
    .getByRole("button", { name: /^Pin Details/ })
    .first()
    .click();
  await expect(page.getByRole("region", { name: "Publishing receipt" })).toBeVisible();
  await checkAppearances(page, "details");
});

test("rows with pages in the creator at three widths in both themes", {
  tag: "@screens",
}, async ({ page }) => {
  test.setTimeout(300_000);
  const { token } = await signIn(page);
  await connectQuickly(page, token);
  const url = await newPage(200);
  await setContent(url, "text/html", PRODUCT_PAGE);
  const rows = [
    { keyword: "handmade fern mug", url, imageSource: "page" as const },
    { keyword: "tea among ferns", url, imageSource: "generated" as const },
  ];
  await openFirst(page, creatorRowsUrl(CREATOR, rows));
  const ownImage = page.getByRole("checkbox", { name: "Use the page's own image for keyword 1" });
  await expect(ownImage).toBeChecked();
  await expect(page.getByRole("radio", { name: "Skip this row" })).toBeVisible();
  await expect(page.getByRole("checkbox", { name: /^I have the rights to use images from/ })).toBeVisible();
  await checkAppearances(page, "creator-pages");
});

test("links that are ready for a new variant on Analytics, at three widths in both themes", {
  tag: "@screens",
}, async ({ page }) => {
  test.setTimeout(300_000);
  const link = "https://example.com/slow-bread";
  await signInWithAnalytics(page, [
    { keyword: "slow sunday bread", link, pins: 1, impressions: 120, clicks: 5 },
    { keyword: "bread without hurry", link, pins: 1, impressions: 90, clicks: 1, publishedDaysAgo: 70 },
  ]);
  await setFirstAppearance(page);
  await openAnalyticsPage(page);
  const ready = page.getByRole("list", { name: "Ready for a new variant" });
  await expect(ready.getByRole("listitem")).toHaveCount(1);
  await expect(ready).toContainText("1 later variant did worse");
  await expect(page.getByRole("table", { name: link }).getByRole("row")).toHaveCount(3);
  await expect(page.locator("[data-slot=days-chart] svg.recharts-surface")).toBeVisible();
  await checkAppearances(page, "analytics-variants");
});
