import { expect, type Page, request } from "@playwright/test";
import { CONTROL_PATH } from "#tests/support/link-site.ts";

let made = 0;

/** Sets the response of a page on the tests' site. `location`: the redirect target. */
export const setPage = async (url: string, status: number, location?: string): Promise<void> => {
  const site = await request.newContext({ ignoreHTTPSErrors: true });
  const { origin, pathname } = new URL(url);
  const answer = await site.post(`${origin}${CONTROL_PATH}`, { data: { path: pathname, status, location } });
  expect(answer.status()).toBe(204);
  await site.dispose();
};

/** Sets what a page of the tests' site shows. */
export const setContent = async (url: string, type: string, body: string | Buffer): Promise<void> => {
  const site = await request.newContext({ ignoreHTTPSErrors: true });
  const { origin, pathname } = new URL(url);
  const page = { path: pathname, status: 200, type, body: Buffer.from(body).toString("base64") };
  expect((await site.post(`${origin}${CONTROL_PATH}`, { data: page })).status()).toBe(204);
  await site.dispose();
};

/** Creates a page for the calling test on the site whose links the product may check. @returns its URL */
export const newPage = async (status: number, location?: string): Promise<string> => {
  made += 1;
  const url = `${process.env.E2E_LINKS_URL}/${process.pid}-${Date.now()}-${made}`;
  await setPage(url, status, location);
  return url;
};

/** The card of a pin in the grid. */
export const cardOf = (page: Page, title: string) => page.getByRole("listitem").filter({ hasText: title });

/** Opens the details of a pin in the grid. */
export const openDetails = async (page: Page, title: string) => {
  await page.getByRole("button", { name: `Pin Details: ${title}`, exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Pin Details" });
  await expect(dialog).toBeVisible();
  return dialog;
};
