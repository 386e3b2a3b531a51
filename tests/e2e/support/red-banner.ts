import { expect, type Locator, type Page } from "@playwright/test";

/** How much redder than green and blue the letters of an element are drawn, from -255 to 255. */
const redness = (element: Locator): Promise<number> =>
  element.evaluate((node) => {
    const pixel = new OffscreenCanvas(1, 1).getContext("2d");
    if (!pixel) throw new Error("The browser cannot draw.");
    pixel.fillStyle = getComputedStyle(node).color;
    pixel.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = pixel.getImageData(0, 0, 1, 1).data;
    return red - Math.max(green, blue);
  });

/** What went wrong stands in a red banner (R-ERR-28), with these words in it. */
export const expectRedBanner = async (page: Page, text: string): Promise<void> => {
  const banner = page.locator(".banner-failed", { hasText: text });
  await expect(banner).toBeVisible();
  await expect.poll(() => redness(banner)).toBeGreaterThan(60);
};
