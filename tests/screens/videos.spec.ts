import { expect, type Page } from "@playwright/test";
import { signIn } from "#tests/e2e/support/quick.ts";
import { checkAppearances, setFirstAppearance } from "#tests/e2e/support/screens.ts";
import { test } from "#tests/e2e/support/test.ts";
import { pastePage, serveImages } from "#tests/e2e/support/video-page.ts";
import { pageOf, someVideos } from "#tests/support/tiktok-page.ts";

// Each test has its own user; one after another, they would keep a single worker busy at the end of a run.
test.describe.configure({ mode: "parallel" });

/** Extracts a page with `count` videos. */
const read = async (page: Page, count: number): Promise<void> => {
  await page.getByLabel("Page HTML").focus();
  await pastePage(page, pageOf(someVideos(count)));
  await page.getByRole("button", { name: "Extract Videos" }).click();
  await expect(page.getByRole("heading", { name: `${count} videos` })).toBeVisible();
};

/** On phones the details of a video are below its title. */
const expectStacked = async (page: Page): Promise<void> => {
  const row = page.getByRole("table").getByRole("row").nth(1);
  await row.scrollIntoViewIfNeeded();
  await expect(row.getByText("10.0K views · 2025-02-19")).toBeInViewport({ ratio: 1 });
  const author = row.getByRole("link", { name: /^@/ });
  await expect(author).toBeInViewport({ ratio: 1 });
  await expect(author).toHaveAttribute("href", /^https:\/\/www\.tiktok\.com\/@/);
  await expect(row.getByRole("button", { name: /^Copy URL/ })).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole("columnheader", { name: "Hashtags" })).toBeHidden();
};

/** Checks the number of cards per row, which is set by script. */
const expectColumns = (page: Page, width: number): Promise<void> =>
  expect
    .poll(() =>
      page
        .locator("[data-slot=video-row]")
        .first()
        .evaluate((row) => getComputedStyle(row).gridTemplateColumns.split(" ").length),
    )
    .toBe({ 390: 2, 768: 3, 1440: 4 }[width]);

/** Returns the share of its container that each chart fills. */
const filledBy = (page: Page): Promise<number[]> =>
  page.locator("[data-slot=chart]").evaluateAll((all) =>
    all.map((chart) => {
      const { paddingLeft, paddingRight } = getComputedStyle(chart);
      const width = chart.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
      return Number(chart.querySelector("svg.recharts-surface")?.getAttribute("width")) / width;
    }),
  );

test("R-VID-01, R-VID-04, R-VAN-01 the extractor with none, three and two hundred videos", { tag: "@screens" }, async ({
  page,
}) => {
  test.setTimeout(400_000);
  await serveImages(page);
  await signIn(page);
  await setFirstAppearance(page);
  await page.goto("/app/videos");
  await expect(page.locator("[inert]")).toHaveCount(0, { timeout: 30_000 });
  await checkAppearances(page, "videos-0");
  await setFirstAppearance(page);
  await read(page, 3);
  await page.getByRole("checkbox", { name: /^Select 1\./ }).check();
  await page.getByText("How we read this page").click();
  await checkAppearances(page, "videos-3", (width) => expectColumns(page, width));
  await setFirstAppearance(page);
  await page.getByRole("button", { name: "Clear the page" }).click();
  await read(page, 200);
  await page.getByRole("button", { name: "Select All" }).click();
  await checkAppearances(page, "videos-200", (width) => expectColumns(page, width));
  await setFirstAppearance(page);
  await page.getByRole("radio", { name: "Table" }).check();
  await checkAppearances(page, "videos-table", async (width) => width === 390 && expectStacked(page));
  await setFirstAppearance(page);
  await page.getByRole("tab", { name: "Analytics" }).click();
  await expect(page.getByText("Selected Videos Stats")).toBeVisible();
  await checkAppearances(page, "videos-analytics", () => expect.poll(() => filledBy(page)).toEqual([1, 1]));
});
