import { expect, type Page, test } from "@playwright/test";
import { dress, lookAt, THEMES, WIDTHS } from "./support/looks.ts";
import { signIn } from "./support/quick.ts";
import { pageOf, pastePage, servePictures, someVideos } from "./support/video-page.ts";

/** The extractor with so many videos read. */
const openWith = async (page: Page, count: number): Promise<void> => {
  await page.goto("/app/videos");
  await expect(page.locator("[inert]")).toHaveCount(0, { timeout: 30_000 });
  if (count === 0) return;
  await page.getByLabel("Page HTML").focus();
  await pastePage(page, pageOf(someVideos(count)));
  await page.getByRole("button", { name: "Extract Videos" }).click();
  await expect(page.getByRole("heading", { name: `${count} videos` })).toBeVisible();
};

for (const theme of THEMES) {
  test(`R-VID-01, R-VID-04, R-VAN-01 the extractor with none, three and two hundred videos, ${theme}`, async ({
    page,
  }) => {
    test.setTimeout(400_000);
    await servePictures(page);
    await signIn(page);
    for (const width of WIDTHS) {
      await dress(page, width, theme);
      await openWith(page, 0);
      await lookAt(page, `videos-0-${width}-${theme}`);
      await openWith(page, 3);
      await page.getByRole("checkbox", { name: /^Select 1\./ }).check();
      await page.getByText("How this was read").click();
      await lookAt(page, `videos-3-${width}-${theme}`);
      await openWith(page, 200);
      await page.getByRole("button", { name: "Select All" }).click();
      await lookAt(page, `videos-200-${width}-${theme}`);
      await page.getByRole("radio", { name: "Table" }).check();
      await lookAt(page, `videos-table-${width}-${theme}`);
      await page.getByRole("tab", { name: "Analytics" }).click();
      await expect(page.getByText("Selected Videos Stats")).toBeVisible();
      await expect(page.locator(".chart svg.recharts-surface")).toHaveCount(2);
      await lookAt(page, `videos-analytics-${width}-${theme}`);
    }
  });
}
