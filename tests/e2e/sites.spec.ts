import { expect, type Page } from "@playwright/test";
import { photo } from "#tests/support/sample-images.ts";
import { newPage, setContent } from "./support/links.ts";
import { connectQuickly, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const PAGES = [
  { name: "Fern mug", text: "A mug for tea among ferns, thrown by hand and fired twice in our own kiln." },
  { name: "Moss bowl", text: "A bowl with a glaze like moss, thrown by hand and fired twice in our own kiln." },
] as const;

/** A feed of two pages, of which the first has an image. @returns its URL */
const makeFeed = async (): Promise<string> => {
  const image = await newPage(200);
  await setContent(image, "image/jpeg", await photo(900, 1_200));
  const items = [];
  for (const { name, text } of PAGES) {
    const url = await newPage(200);
    const head = `<title>${name}</title><meta property="og:image" content="${image}">`;
    await setContent(url, "text/html", `<html><head>${head}</head><body><h1>${name}</h1><p>${text}</p></body></html>`);
    items.push(`<item><title>${name}</title><link>${url}</link></item>`);
  }
  const feed = await newPage(200);
  await setContent(feed, "application/rss+xml", `<rss><channel><title>Kiln</title>${items.join("")}</channel></rss>`);
  return feed;
};

const findPages = async (page: Page, address: string): Promise<void> => {
  await page.getByLabel("Your site").fill(address);
  await page.getByRole("button", { name: "Find pages" }).click();
};

test("from a feed to scheduled pins, one of them with its page's own image", async ({ page }) => {
  const { token } = await signIn(page);
  await connectQuickly(page, token);
  const feed = await makeFeed();
  await page.goto("/app");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "From Your Site" }).click();
  await findPages(page, feed);
  await expect(page.getByRole("heading", { name: "Kiln" })).toBeVisible();
  await page.getByRole("button", { name: "Watch for new pages" }).click();
  await expect(page.getByText("You're watching this site.")).toBeVisible();
  await page.getByLabel("Keyword for Fern mug").fill("handmade fern mug");
  await page.getByRole("button", { name: "Select all" }).click();
  await page.getByRole("link", { name: "Create pins" }).click();

  await expect(page.getByLabel("Keyword 1", { exact: true })).toHaveValue("handmade fern mug");
  await expect(page.getByLabel("Keyword 2", { exact: true })).toHaveValue("moss bowl");
  await page.getByRole("checkbox", { name: "Use the page's own image for keyword 1" }).check();
  await page.getByLabel("Board", { exact: true }).selectOption({ index: 1 });
  const generate = page.getByRole("button", { name: "Generate Content" });
  await expect(generate).toBeDisabled();
  await page.getByRole("checkbox", { name: /^I have the rights to use images from/ }).check();
  await generate.click();
  await expect(page.getByText("Pin generation complete!")).toBeVisible({ timeout: 60_000 });

  await page.getByRole("link", { name: "Choose and schedule" }).click();
  const boxes = page.getByRole("checkbox", { name: /^Select / });
  await expect(boxes).toHaveCount(2);
  for (const box of await boxes.all()) await box.check();
  await page.getByRole("button", { name: "Schedule 2 pins" }).click();
  await expect(page.getByTestId("notice")).toContainText("Successfully scheduled 2 pins");
  await page.goto("/app/pages");
  await findPages(page, feed);
  await expect(page.getByRole("row", { name: /Moss bowl/ })).toContainText("1 pin");
});
