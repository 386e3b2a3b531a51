import type { Page } from "@playwright/test";
import { IMAGES } from "#tests/support/tiktok-page.ts";

const HUES = [152, 30, 205, 82, 340, 265];

/** Serves fake thumbnails for the image host, and records the requests. */
export const serveImages = async (page: Page): Promise<{ requested: string[]; referrers: string[] }> => {
  const seen = { requested: [] as string[], referrers: [] as string[] };
  await page.route(`${IMAGES}/**`, async (route) => {
    const path = new URL(route.request().url()).pathname;
    seen.requested.push(path);
    seen.referrers.push((await route.request().headerValue("referer")) ?? "");
    if (path.startsWith("/gone")) return route.fulfill({ status: 403 });
    const hue = HUES[path.length % HUES.length] ?? 0;
    const at = Number(/\d+/.exec(path)?.[0] ?? 0);
    return route.fulfill({
      contentType: "image/svg+xml",
      body: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 160"><rect width="90" height="160" fill="hsl(${(hue + at * 47) % 360} 32% 62%)"/><circle cx="${20 + (at % 50)}" cy="58" r="26" fill="hsl(${(hue + at * 47 + 40) % 360} 44% 78%)"/></svg>`,
    });
  });
  return seen;
};

/** Pastes a text into the focused field, like a copied page source. */
export const pastePage = (page: Page, text: string): Promise<void> =>
  page.evaluate((html) => {
    const data = new DataTransfer();
    data.setData("text/plain", html);
    const paste = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
    const field = document.activeElement;
    if (field?.dispatchEvent(paste)) document.execCommand("insertText", false, html);
  }, text);
