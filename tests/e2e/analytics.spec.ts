import { expect, type Page } from "@playwright/test";
import { download, openAnalyticsPage, signInWithAnalytics, WINNER } from "./support/analytics.ts";
import { checkEachAppearance, setAppearance } from "./support/screens.ts";
import { test } from "./support/test.ts";

const finding = (page: Page) => page.locator("[data-slot=finding] h3");
const chart = (page: Page) => page.locator("[data-slot=days-chart] svg.recharts-surface");
const ranked = (page: Page) => page.locator("tbody[data-part=ranked] tr");
const early = (page: Page) => page.locator("tbody[data-part=early] tr:not([data-slot=report-break])");

test("A-83 the keyword that earned the clicks comes first, a lucky one does not, and more of it is one click away", {
  tag: "@screens",
}, async ({ page }) => {
  test.setTimeout(300_000);
  const { account } = await signInWithAnalytics(page);
  await openAnalyticsPage(page);
  await checkEachAppearance(page, "analytics", async () => {
    await expect(chart(page)).toBeVisible();
    await expect(page.locator("[data-slot=top-pin]").first()).toBeVisible();
    await expect(page.locator("[data-slot=finding-pins] img")).toHaveCount(3);
  });
  await setAppearance(page, 1440, "light");
  await expect(finding(page)).toHaveText(WINNER);
  await expect(page.locator("[data-slot=finding]")).toContainText("The keyword with the highest click rate");
  await expect(ranked(page).first().getByRole("rowheader")).toContainText(WINNER);
  await expect(ranked(page).first()).toContainText(/likely \d\.\d% to \d\.\d%/);
  await expect(ranked(page)).toHaveCount(4);
  await page.getByRole("button", { name: "Show 2 more of 10 keywords" }).press("Enter");
  await expect(early(page)).toHaveCount(6);
  await expect(early(page).first()).toContainText("Too early to tell");

  const csv = await download(page, /^CSV of this table/);
  expect(csv.name).toMatch(new RegExp(`^${account.username}-results-by-keyword-\\d{4}-\\d\\d-\\d\\d-to-.+\\.csv$`));
  const lines = csv.bytes.toString("utf8").split("\r\n");
  expect(lines).toHaveLength(12);
  expect(lines[1]).toMatch(new RegExp(`^"${WINNER}","3","3","10800","900","450","180","0\\.0416`));
  expect(lines[5]).toContain('"Too early to tell"');

  const tab = page.getByRole("tab", { name: "Keyword" });
  await tab.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Board" })).toBeFocused();
  await expect(page).toHaveURL(/by=board/);
  await expect(ranked(page).getByRole("rowheader")).toHaveCount(1);
  await expect(ranked(page).getByRole("rowheader")).not.toContainText(/^Board \d/);
  await page.reload();
  await expect(page.getByRole("tab", { name: "Board", selected: true })).toBeVisible();
  await page.getByRole("tab", { name: "Link" }).click();
  await expect(page).toHaveURL(/by=link/);
  await page.goBack();
  await expect(page.getByRole("tab", { name: "Board", selected: true })).toBeVisible();

  await page.getByRole("tab", { name: "Keyword" }).click();
  await page.getByRole("radio", { name: "7 days" }).check();
  await expect(page).toHaveURL(/days=7/);
  await page.locator("[data-slot=finding]").getByRole("link", { name: "More like this" }).click();
  await expect(page.getByLabel("Keyword 1", { exact: true })).toHaveValue(WINNER);
  await page.goBack();
  await expect(page.getByRole("radio", { name: "7 days" })).toBeChecked();
  await expect(chart(page)).toBeVisible();
  await expect(page).toHaveURL(/days=7/);
  await page.goBack();
  await expect(page.getByRole("radio", { name: "30 days" })).toBeChecked();
});

test("A-83 a script that fails to load only affects the chart", async ({ page }) => {
  await signInWithAnalytics(page, [{ keyword: WINNER, pins: 1, impressions: 100, clicks: 3 }]);
  await page.route(/\/_next\/static\/chunks\/[^?]+\.js/, async (route) => {
    const answer = await route.fetch();
    if ((await answer.text()).includes("recharts-cartesian-grid")) await route.abort();
    else await route.fulfill({ response: answer });
  });
  await openAnalyticsPage(page);
  await expect(page.getByText("The chart couldn't be loaded. The table has the same data.")).toBeVisible();
  await expect(finding(page)).toHaveText(WINNER);
  await page.getByRole("button", { name: "Show as a table" }).click();
  await expect(page.getByRole("table", { name: "Metrics by day (UTC)" })).toBeVisible();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.getByRole("button", { name: /^Try again ?: the chart/ }).click();
  await expect(chart(page)).toBeVisible();
});
