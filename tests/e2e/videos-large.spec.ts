import { expect, type Page } from "@playwright/test";
import { signIn } from "./support/quick.ts";
import { expectRedBanner } from "./support/red-banner.ts";
import { afterEffects, test } from "./support/test.ts";
import { pageOf, pastePage, servePictures, someVideos } from "./support/video-page.ts";

const field = (page: Page) => page.getByLabel("Page HTML");
const extractButton = (page: Page) => page.getByRole("button", { name: "Extract Videos" });

const openExtractor = async (page: Page): Promise<void> => {
  await page.goto("/app/videos");
  await expect(page.locator("[inert]")).toHaveCount(0, { timeout: 30_000 });
};

/** Counts the main thread's long tasks from here on. @returns the longest so far, in milliseconds */
const watchTasks = async (page: Page): Promise<() => Promise<number>> => {
  await page.evaluate(() => {
    const tasks: number[] = [];
    Object.assign(window, { longTasks: tasks });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasks.push(duration);
    }).observe({ type: "longtask" });
  });
  return () => page.evaluate(() => Math.max(0, ...(window as unknown as { longTasks: number[] }).longTasks));
};

test("a paste of 20 MB stands beside the field, is read, and can be cleared", async ({ page }) => {
  test.setTimeout(240_000);
  await servePictures(page);
  await signIn(page);
  await openExtractor(page);
  const filler = `<div class="x">${"lorem ipsum dolor ".repeat(50)}</div>`;
  const html = pageOf(someVideos(40)).replace(
    "</body>",
    `${filler.repeat(Math.ceil(20_000_000 / filler.length))}</body>`,
  );
  await field(page).focus();
  await pastePage(page, html);
  await expect(page.getByText(/Pasted page, 20\.\d MB/)).toBeVisible();
  expect((await field(page).inputValue()).length).toBeLessThan(3_000);
  const longest = await watchTasks(page);
  await extractButton(page).click();
  await expect(page.getByRole("heading", { name: "40 videos" })).toBeVisible({ timeout: 30_000 });
  console.log(`20 MB: the main thread's longest block was ${Math.round(await longest())} ms`);
  await page.getByRole("button", { name: "Clear the page" }).click();
  await expect(field(page)).toHaveValue("");
  await expect(extractButton(page)).toBeDisabled();
});

test("a dropped or chosen file is read; what is no page, empty or beyond 50 MB is refused in words", async ({
  page,
}) => {
  await servePictures(page);
  await signIn(page);
  await openExtractor(page);
  const choose = page.locator("input[type=file]");
  const buffer = Buffer.from(pageOf(someVideos(2)));
  await choose.setInputFiles({ name: "photo.png", mimeType: "image/png", buffer: Buffer.from("x") });
  await expect(page.getByText("photo.png is no page")).toBeVisible();
  await choose.setInputFiles({ name: "empty.html", mimeType: "text/html", buffer: Buffer.from("") });
  await expect(page.getByText("empty.html is empty.")).toBeVisible();
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(50_000_001)], "large.html", { type: "text/html" }));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await expect(page.getByText("At most 50 MB can be read")).toBeVisible();
  await expect(extractButton(page)).toBeDisabled();
  await choose.setInputFiles({ name: "saved.html", mimeType: "text/html", buffer });
  await expect(page.getByText("At most 50 MB can be read")).toHaveCount(0);
  await expect(page.getByText("saved.html,")).toBeVisible();
  await extractButton(page).click();
  await expect(page.getByRole("heading", { name: "2 videos" })).toBeVisible();
});

test("five thousand videos scroll, as cards and as a table, with few of them there at a time", async ({ page }) => {
  test.setTimeout(240_000);
  const seen = await servePictures(page);
  await signIn(page);
  await openExtractor(page);
  await field(page).focus();
  await pastePage(page, pageOf(someVideos(5_000)));
  await extractButton(page).click();
  await expect(page.getByRole("heading", { name: "5,000 videos" })).toBeVisible({ timeout: 30_000 });
  const cards = page.locator("article[data-slot=video-card]");
  const asked = () => seen.asked.length;
  expect(await cards.count()).toBeLessThan(60);
  expect(asked()).toBeLessThan(60);
  await page.getByRole("button", { name: "Select All", exact: true }).click();
  await expect(page.getByText("5,000 videos selected")).toBeVisible();
  await expect(async () => {
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await expect(page.getByRole("checkbox", { name: /^Select 5000\./ })).toBeInViewport({ timeout: 500 });
  }).toPass({ timeout: 30_000 });
  await expect(page.getByRole("checkbox", { name: /^Select 5000\./ })).toBeChecked();
  expect(await cards.count()).toBeLessThan(60);

  await page.evaluate(() => window.scrollTo(0, 0));
  await page.getByRole("radio", { name: "Table" }).check();
  const table = page.getByRole("table");
  await expect(table).toHaveAttribute("aria-rowcount", "5001");
  expect(await table.getByRole("row").count()).toBeLessThan(60);
  await page.getByRole("region", { name: "Table of videos" }).evaluate((part) => part.scrollTo(0, part.scrollHeight));
  await expect(table.getByRole("checkbox", { name: /^Select 5000\./ })).toBeVisible();
  await page.getByLabel("Order").selectOption("Most views");
  await expect(table.getByRole("row").nth(1)).toContainText("M");
});

test("R-VID-31 what is pasted neither runs, nor is fetched, nor becomes a link", async ({ page }) => {
  await signIn(page);
  const asked: string[] = [];
  await page.route(/evil\.example/, (route) => {
    asked.push(route.request().url());
    return route.abort();
  });
  await openExtractor(page);
  await page.evaluate(() => Object.assign(window, { ran: 0 }));
  const run = "window.ran=1";
  const hostile = `<script>${run};parent.ran=1</script><img src="https://evil.example/a.png" onerror="${run}">
    <iframe src="https://evil.example/b"></iframe><link rel="stylesheet" href="https://evil.example/c.css">
    <div data-e2e="challenge-item-list"><div><div data-e2e="challenge-item">
    <a href="https://www.tiktok.com/@moss/video/7473000000000000001" onclick="${run}"><img src="javascript:${run}" onerror="${run}"
      alt="&lt;img src=x onerror=${run}&gt; created by moss with sound"><strong data-e2e="video-views">1&lt;script&gt;</strong></a></div>
    <div data-e2e="challenge-item-desc"><a href="javascript:${run}" data-e2e="challenge-item-avatar">
      <p data-e2e="challenge-item-username">&lt;svg onload=${run}&gt;</p></a></div></div></div>`;
  await field(page).focus();
  await pastePage(page, hostile);
  await extractButton(page).click();
  await expect(page.locator("article[data-slot=video-card]")).toHaveCount(1);
  const addresses = await page
    .locator("main a")
    .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
  expect(addresses.filter((address) => !/^(https?:\/\/|\/)/.test(address))).toEqual([]);
  await page.getByRole("radio", { name: "Table" }).check();
  await page.getByRole("tab", { name: "Analytics" }).click();
  await expect(page.getByText("Total Videos")).toBeVisible();
  expect(await page.evaluate(() => (window as unknown as { ran: number }).ran)).toBe(0);
  expect(asked).toEqual([]);
  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]));
  expect(kept).not.toContain("challenge-item");
});

test("R-VID-03, R-VID-25, R-ERR-25, R-ERR-28 reading can be cancelled, and is stopped in words when it takes too long", async ({
  page,
}) => {
  await page.clock.install();
  await servePictures(page);
  await signIn(page);
  await openExtractor(page);
  await field(page).focus();
  await pastePage(page, pageOf(someVideos(3)));
  await extractButton(page).click();
  await expect(page.getByRole("heading", { name: "3 videos" })).toBeVisible();
  // A worker that never answers: its script is held back.
  await page.route(/\/_next\/static\/.*\.js/, () => {});
  await extractButton(page).click();
  await expect(page.getByRole("button", { name: "Extracting..." })).toBeVisible();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(extractButton(page)).toBeEnabled();
  await expect(extractButton(page)).toBeFocused();
  await expect(page.getByText("Reading cancelled")).toBeAttached();
  await expect(page.locator(".banner-failed")).toHaveCount(0);
  await expect(page.getByRole("heading", { name: "3 videos" })).toBeVisible();
  await extractButton(page).click();
  await expect(page.getByRole("button", { name: "Extracting..." })).toBeVisible();
  await afterEffects(page);
  await page.clock.fastForward(20_500);
  const said = "Error extracting data: it took longer than 20 seconds and was stopped.";
  await expectRedBanner(page, said);
  await expect(extractButton(page)).toBeEnabled();
  await extractButton(page).click();
  await expect(page.getByRole("progressbar", { name: "Page read" })).toBeVisible();
  await page.getByRole("button", { name: "Clear the page" }).click();
  await expect(page.getByRole("progressbar", { name: "Page read" })).toHaveCount(0);
  await expect(field(page)).toBeFocused();
  await expect(page.getByRole("heading", { name: "3 videos" })).toBeVisible();
});
