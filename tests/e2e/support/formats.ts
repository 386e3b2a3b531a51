import { readFileSync } from "node:fs";
import { expect, type Page } from "@playwright/test";
import { inRepository } from "#scripts/root.ts";
import { connectQuickly, signIn } from "./quick.ts";

/** Six seconds of VP9, which the tests' Chromium decodes. */
const CLIP = inRepository("tests", "support", "videos", "clip.mp4");
export const clip = (): Buffer => readFileSync(CLIP);

/** Signs in a user with an account and opens a form of another format than images. */
export const beginFormat = async (page: Page, format: "video" | "carousel") => {
  const { token } = await signIn(page);
  const account = await connectQuickly(page, token);
  await page.goto(`/app/create-pin/${format}`);
  await expect(page.locator("[inert]")).toHaveCount(0);
  return account;
};

/** Chooses the clip and waits for its first frame as the cover. */
export const chooseClip = async (page: Page): Promise<void> => {
  await page.getByLabel(/^Choose a video/).setInputFiles(CLIP);
  await expect(page.getByText(/^The frame at 0:0\d$/)).toBeVisible({ timeout: 30_000 });
};

/** Publishes the only draft of Generated Posts, and opens its details once it is out. */
export const publishOpened = async (page: Page, title: string) => {
  await page.getByRole("link", { name: "Generated Posts" }).last().click();
  await page.getByRole("button", { name: `Pin Details: ${title}` }).click();
  const details = page.getByRole("dialog", { name: "Pin Details" });
  await details.getByRole("button", { name: "Publish now" }).click();
  await page
    .getByRole("dialog", { name: "Publish this pin now?" })
    .getByRole("button", { name: "Publish now" })
    .click();
  const published = page.getByRole("tab", { name: "Published 1" });
  await expect(published).toBeVisible({ timeout: 90_000 });
  await published.click();
  await expect(page.getByRole("button", { name: `Pin Details: ${title}` })).toBeVisible();
  const link = await page.getByRole("link", { name: /^See it/ }).getAttribute("href");
  await page.getByRole("button", { name: `Pin Details: ${title}` }).click();
  await expect(details.getByRole("region", { name: "Publishing receipt" })).toContainText("1. Published");
  return { details, link: link ?? "" };
};
