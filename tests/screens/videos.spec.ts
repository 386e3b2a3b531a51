import { expect, type Page } from "@playwright/test";
import { dressAsFirst, lookAtAll } from "#tests/e2e/support/looks.ts";
import { signIn } from "#tests/e2e/support/quick.ts";
import { test } from "#tests/e2e/support/test.ts";
import { pastePage, servePictures } from "#tests/e2e/support/video-page.ts";
import { pageOf, someVideos } from "#tests/support/tiktok-page.ts";

/** Reads a page with so many videos. */
const read = async (page: Page, count: number): Promise<void> => {
  await page.getByLabel("Page HTML").focus();
  await pastePage(page, pageOf(someVideos(count)));
  await page.getByRole("button", { name: "Extract Videos" }).click();
  await expect(page.getByRole("heading", { name: `${count} videos` })).toBeVisible();
};

/** A phone has no room for columns: what a video is known by stands below its title, and nothing is cut off. */
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

/** How many cards stand side by side: a script sees to that, not the style sheet. */
const expectColumns = (page: Page, width: number): Promise<void> =>
  expect
    .poll(() =>
      page
        .locator("[data-slot=video-row]")
        .first()
        .evaluate((row) => getComputedStyle(row).gridTemplateColumns.split(" ").length),
    )
    .toBe({ 390: 2, 768: 3, 1440: 4 }[width]);

/** How much of the width of its place each chart fills. */
const filledBy = (page: Page): Promise<number[]> =>
  page.locator("[data-slot=chart]").evaluateAll((all) =>
    all.map((chart) => {
      const { paddingLeft, paddingRight } = getComputedStyle(chart);
      const room = chart.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
      return Number(chart.querySelector("svg.recharts-surface")?.getAttribute("width")) / room;
    }),
  );

test("R-VID-01, R-VID-04, R-VAN-01 the extractor with none, three and two hundred videos", { tag: "@screens" }, async ({
  page,
}) => {
  test.setTimeout(400_000);
  await servePictures(page);
  await signIn(page);
  await dressAsFirst(page);
  await page.goto("/app/videos");
  await expect(page.locator("[inert]")).toHaveCount(0, { timeout: 30_000 });
  await lookAtAll(page, "videos-0");
  await dressAsFirst(page);
  await read(page, 3);
  await page.getByRole("checkbox", { name: /^Select 1\./ }).check();
  await page.getByText("How this was read").click();
  await lookAtAll(page, "videos-3", (width) => expectColumns(page, width));
  await dressAsFirst(page);
  await page.getByRole("button", { name: "Clear the page" }).click();
  await read(page, 200);
  await page.getByRole("button", { name: "Select All" }).click();
  await lookAtAll(page, "videos-200", (width) => expectColumns(page, width));
  await dressAsFirst(page);
  await page.getByRole("radio", { name: "Table" }).check();
  await lookAtAll(page, "videos-table", async (width) => width === 390 && expectStacked(page));
  await dressAsFirst(page);
  await page.getByRole("tab", { name: "Analytics" }).click();
  await expect(page.getByText("Selected Videos Stats")).toBeVisible();
  await lookAtAll(page, "videos-analytics", () => expect.poll(() => filledBy(page)).toEqual([1, 1]));
});
