import { expect, type FrameLocator, type Page } from "@playwright/test";
import type { PlanSlug } from "#lib/features/billing/plans.ts";
import { sandboxPrices } from "#scripts/catalog.ts";
import { controlPaddle, type PaddleControl } from "#tests/support/paddle.ts";
import { type SignedIn, signIn } from "./quick.ts";

const WAIT_MS = 60_000;

/** The payment stand-in of the running app. */
export const paddle = (): PaddleControl => controlPaddle(process.env.E2E_PADDLE_URL ?? "");

/** The overlay in the stand-in's frame. */
export const overlay = (page: Page): FrameLocator => page.frameLocator('iframe[title="Checkout"]');

/** Waits until the overlay has closed and the page is uncovered. */
export const overlayGone = (page: Page): Promise<void> =>
  expect(page.locator('iframe[title="Checkout"]')).toHaveCount(0, { timeout: WAIT_MS });

type TestCard = "works" | "asks for confirmation" | "is declined";

/** Fills in a test card and presses the pay button. */
export const payWith = async (page: Page, card: TestCard): Promise<void> => {
  const chip = overlay(page).getByRole("button", { name: `Use card that ${card}` });
  await chip.click({ timeout: WAIT_MS });
  await overlay(page)
    .getByRole("button", { name: /^(Pay|Subscribe)/ })
    .click();
};

const bearer = ({ token }: SignedIn) => ({ headers: { authorization: `Bearer ${token}` } });

/** The user's response of a documented call. */
export const read = async (page: Page, user: SignedIn, path: string): Promise<Record<string, unknown>> => {
  const answer = await page.request.get(path, bearer(user));
  expect(answer.ok(), `${path} answered ${answer.status()}`).toBe(true);
  return Object(await answer.json());
};

export const balanceOf = async (page: Page, user: SignedIn): Promise<unknown> =>
  (await read(page, user, "/api/users/credits/")).available_credits;

/** A signed-in user with a plan that was paid for without a browser. */
export const signInOn = async (page: Page, plan: PlanSlug): Promise<SignedIn> => {
  const user = await signIn(page);
  if (plan === "free") return user;
  const { id } = await read(page, user, "/api/users/me/");
  await paddle().buy({ userId: String(id), email: user.who.email }, `plan:${plan}`);
  await expect
    .poll(async () => Object((await read(page, user, "/api/users/subscription/")).plan).slug, { timeout: WAIT_MS })
    .toBe(plan);
  return user;
};

/** A sale at the provider. */
export interface Sale {
  id: string;
  status: string;
  priceId: string;
  /** In cents. */
  total: string;
  customData: Record<string, unknown>;
}

type WireEvent = { event_type: string; data: Record<string, unknown> };

/** The provider's transactions of an email address, from the newest events. */
export const salesTo = async (page: Page, user: SignedIn): Promise<Sale[]> => {
  const { id } = await read(page, user, "/api/users/me/");
  const { events }: { events: WireEvent[] } = await (await paddle().control("GET", "/events")).json();
  const sales = new Map<string, Sale>();
  for (const { event_type, data } of events) {
    const customData: Record<string, unknown> = Object(data.custom_data);
    if (!event_type.startsWith("transaction.") || customData.user_id !== id) continue;
    const { totals, line_items } = Object(data.details);
    sales.set(String(data.id), {
      id: String(data.id),
      status: String(data.status),
      priceId: line_items[0].price_id,
      total: totals.total,
      customData,
    });
  }
  return [...sales.values()];
};

/** The price id of an offer at the stand-in. */
export const priceOf = (key: string): string => sandboxPrices()[key] ?? "";
