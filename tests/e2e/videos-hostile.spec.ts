import { expect, type Page } from "@playwright/test";
import { ATTACKS } from "#tests/support/video-pages-seeded/attacks.ts";
import { PAYLOADS, pageOfPayload } from "#tests/support/video-pages-seeded/payloads.ts";
import { signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const field = (page: Page) => page.getByLabel("Page HTML");
const extractButton = (page: Page) => page.getByRole("button", { name: "Extract Videos" });
const clearButton = (page: Page) => page.getByRole("button", { name: "Clear the page" });
const found = (page: Page) => page.getByRole("heading", { name: /^[\d,]+ videos?$/ });

const openExtractor = async (page: Page): Promise<void> => {
  await signIn(page);
  await page.goto("/app/videos");
  await expect(page.locator("[inert]")).toHaveCount(0, { timeout: 30_000 });
};

/** Records requests to hosts that the pasted text names; only visible thumbnails may cause any. */
const watchRequests = async (page: Page): Promise<string[]> => {
  const requests: string[] = [];
  const isOurs = (url: URL) => url.hostname === "127.0.0.1" || url.hostname === "localhost";
  await page.route(
    (url) => url.protocol.startsWith("http") && !isOurs(url),
    (route) => {
      requests.push(route.request().url());
      return route.abort();
    },
  );
  return requests;
};

/** Puts a text on the page before measuring, as the clipboard holds it before a paste. */
const keepText = (page: Page, html: string) => page.evaluate((text) => Object.assign(window, { pasted: text }), html);

const paste = async (page: Page): Promise<void> => {
  await field(page).focus();
  await page.evaluate(() => {
    const { pasted } = window as unknown as { pasted: string };
    const data = new DataTransfer();
    data.setData("text/plain", pasted);
    const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
    if (document.activeElement?.dispatchEvent(event)) document.execCommand("insertText", false, pasted);
  });
};

const ran = (page: Page): Promise<boolean> => page.evaluate(() => "ran" in window);

/** A field with 1 MB of text takes seconds to paint when other browsers share the machine. */
const ON_BUSY_MACHINES = { timeout: 90_000 };

/** One attack in twelve; all of them are tested without a browser. */
const SOME_ATTACKS = ATTACKS.filter((_, index) => index % 12 === 0);

test("R-VID-24, R-VID-25, R-VID-31 scripts in every field and crafted attacks of 1 MB: nothing runs or loads, no link is a script, and the page stays usable", async ({
  page,
}) => {
  test.setTimeout(400_000);
  const requests = await watchRequests(page);
  page.on("dialog", (dialog) => {
    throw new Error(`a dialog opened: ${dialog.message()}`);
  });
  await openExtractor(page);
  // The extracted values of each payload are tested without a browser.
  const pages = PAYLOADS.map((payload, at) => pageOfPayload(payload, at % 2 === 0 ? "dom" : "json"));
  for (const html of pages) {
    await keepText(page, html);
    await paste(page);
    await extractButton(page).click();
    await expect(page.locator("article[data-slot=video-card]"), html).toHaveCount(1);
    const urls = await page.locator("main a").evaluateAll((all) => all.map((one) => one.getAttribute("href") ?? ""));
    expect(urls.filter((url) => !/^(https?:\/\/|\/)/.test(url))).toEqual([]);
    await clearButton(page).click();
  }
  expect(await page.locator("main :is(script, iframe, object, embed, style)").count()).toBe(0);
  await keepText(page, pages[0] ?? "");
  await paste(page);
  await extractButton(page).click();
  await page.getByRole("radio", { name: "Table" }).check();
  await page.getByRole("tab", { name: "Analytics" }).click();
  await expect(page.getByText("Total Videos")).toBeVisible();
  await page.getByRole("tab", { name: "Extractor" }).click();
  await clearButton(page).click();
  expect(await ran(page)).toBe(false);
  expect(requests).toEqual([]);

  for (const { name, make, cards } of SOME_ATTACKS) {
    await keepText(page, make(1_000_000));
    await paste(page);
    await extractButton(page).click(ON_BUSY_MACHINES);
    await expect(extractButton(page), name).toBeEnabled(ON_BUSY_MACHINES);
    await expect(page.locator("[data-slot=banner][data-tone=failed]"), name).toHaveCount(0);
    if (cards.length > 0) await expect(found(page), name).toBeVisible(ON_BUSY_MACHINES);
    await clearButton(page).click(ON_BUSY_MACHINES);
  }
  expect(await ran(page)).toBe(false);
  // Only thumbnails of visible cards, which load after extraction.
  expect(requests.filter((url) => !/^https:\/\/(p16\.tiktokcdn\.com|x\.test)\/a\.jpeg$/.test(url))).toEqual([]);
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]));
  expect(kept).not.toContain("challenge-item");
});
