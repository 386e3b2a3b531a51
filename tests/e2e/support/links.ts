import { expect, type Page, request } from "@playwright/test";
import { CONTROL_PATH } from "#tests/support/link-site.ts";

let made = 0;

/** Makes a page of the tests' site answer so, now or from now on. `location`: where it redirects to. */
export const setPage = async (url: string, status: number, location?: string): Promise<void> => {
  const site = await request.newContext({ ignoreHTTPSErrors: true });
  const { origin, pathname } = new URL(url);
  const answer = await site.post(`${origin}${CONTROL_PATH}`, { data: { path: pathname, status, location } });
  expect(answer.status()).toBe(204);
  await site.dispose();
};

/** A page of its own for the calling test, on the site whose links this product may check. @returns its address. */
export const newPage = async (status: number, location?: string): Promise<string> => {
  made += 1;
  const url = `${process.env.E2E_LINKS_URL}/${process.pid}-${Date.now()}-${made}`;
  await setPage(url, status, location);
  return url;
};

/** The card of a pin on the wall. */
export const cardOf = (page: Page, title: string) => page.getByRole("listitem").filter({ hasText: title });

/** The details of a pin that is on the wall. */
export const openDetails = async (page: Page, title: string) => {
  await page.getByRole("button", { name: `Pin Details: ${title}`, exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Pin Details" });
  await expect(dialog).toBeVisible();
  return dialog;
};
