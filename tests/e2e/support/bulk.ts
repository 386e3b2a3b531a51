import { expect, type Page } from "@playwright/test";
import sharp from "sharp";
import { connectQuickly, signIn } from "./quick.ts";

export const CREATE = "**/api/users/pinterest/create-bulk/";

interface Chosen {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

/** Different images, each in its own color. */
export const images = (count: number): Promise<Chosen[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const background = { r: (n * 37) % 256, g: 120, b: (n * 91) % 256 };
      const buffer = await sharp({ create: { width: 600, height: n % 2 ? 900 : 500, channels: 3, background } })
        .jpeg()
        .toBuffer();
      return { name: `moss_garden-${n + 1}.jpg`, mimeType: "image/jpeg", buffer };
    }),
  );

export const openScreen = async (page: Page): Promise<void> => {
  await page.goto("/app/create-pin");
  await expect(page.locator("[inert]")).toHaveCount(0);
};

/** Signs in a user with an account and opens the form. */
export const begin = async (page: Page): Promise<{ accountId: string; token: string }> => {
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  await openScreen(page);
  return { accountId: id, token };
};

export const number = (page: Page) => page.getByLabel("Number of pins");
export const rows = (page: Page) => page.getByRole("listitem", { name: /^Pin \d+$/ });
export const title = (page: Page, n: number) => page.getByLabel(`Title of pin ${n}`, { exact: true });
export const board = (page: Page, n: number) => page.getByLabel(`Board of pin ${n}`, { exact: true });
export const image = (page: Page, n: number) => page.getByLabel(`Choose an image for pin ${n}`, { exact: true });
export const many = (page: Page) => page.getByLabel(/^Choose images/);
export const create = (page: Page) => page.getByRole("button", { name: /^Create \d+ pins?$/ });
