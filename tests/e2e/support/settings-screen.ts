import { expect, type Page, type Response } from "@playwright/test";
import type { RunningProduct } from "#tests/support/fixtures/product.ts";
import { controlPaddle } from "#tests/support/paddle.ts";
import { type SignedIn, sharedProduct, signIn } from "./quick.ts";

/** A running product and its payment stand-in. */
export interface Shop extends RunningProduct {
  paddleUrl: string;
}

const WAIT_MS = 60_000;

/** The product that all tests share. */
export const shared = (): Shop => ({
  ...sharedProduct(),
  paddleUrl: process.env.E2E_PADDLE_URL ?? "",
});

export const section = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
export const plan = (page: Page) => section(page, "Plan");
export const payments = (page: Page) => section(page, "Payments").getByRole("listitem");
export const dialog = (page: Page) => page.getByRole("dialog");
export const notice = (page: Page) => page.getByTestId("notice");

/** Checks the notice and closes it, because it would cover the next control. The test holds its timer. */
export const dismissNotice = async (page: Page, text: string): Promise<void> => {
  await expect(notice(page)).toContainText(text, { timeout: WAIT_MS });
  await expect(async () => {
    await page.keyboard.press("Escape");
    await expect(notice(page)).toHaveCount(0, { timeout: 2_000 });
  }).toPass({ timeout: WAIT_MS });
};

/** Opens Settings and waits for its data. */
export const openSettings = async (page: Page, { baseUrl }: Pick<Shop, "baseUrl">): Promise<void> => {
  const isRead = (response: Response) => response.url().endsWith("/api/users/payments/");
  const read = page.waitForResponse(isRead, { timeout: WAIT_MS });
  await page.goto(`${baseUrl}/app/settings`);
  await expect(page.locator("[inert]")).toHaveCount(0);
  await read;
};

/** Reopens Settings until the plan shows these texts, since webhooks take a while. */
export const awaitPlan = async (page: Page, shop: Pick<Shop, "baseUrl">, texts: string[]): Promise<void> => {
  await expect(async () => {
    await openSettings(page, shop);
    for (const text of texts) await expect(plan(page)).toContainText(text, { timeout: 1_000 });
  }).toPass({ timeout: WAIT_MS });
};

/** Signs in a user who bought a plan at the stand-in, without the overlay. */
export const signInPaying = async (page: Page, shop: Shop, offer: string, card?: string): Promise<SignedIn> => {
  const { baseUrl, paddleUrl } = shop;
  const user = await signIn(page, shop);
  const headers = { authorization: `Bearer ${user.token}` };
  const { id } = await (await page.request.get(`${baseUrl}/api/users/me/`, { headers })).json();
  await controlPaddle(paddleUrl).buy({ userId: id, email: user.who.email }, offer, { ...(card && { card }) });
  const slug = offer.split(":")[1];
  await expect
    .poll(
      async () => (await (await page.request.get(`${baseUrl}/api/users/subscription/`, { headers })).json()).plan.slug,
      {
        timeout: WAIT_MS,
      },
    )
    .toBe(slug);
  return user;
};
