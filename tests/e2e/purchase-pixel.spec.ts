import { expect, type Page } from "@playwright/test";
import { AD_CONSENT_KEY } from "#lib/client/ad-consent.ts";
import { balance, openPack } from "./support/buy-screen.ts";
import { payWith } from "./support/buying.ts";
import { signIn } from "./support/quick.ts";
import { secondApp } from "./support/second-app.ts";
import { test } from "./support/test.ts";

const AD_PIXEL_ID = "123456789012345";
const app = secondApp({ settings: { AD_PIXEL_ID } });

const buy = async (page: Page, consent: string, after: string): Promise<void> => {
  await page.evaluate(([key, value]) => localStorage.setItem(key ?? "", value ?? ""), [AD_CONSENT_KEY, consent]);
  await page.goto(`${app().baseUrl}/app/buy-credits`);
  await expect(page.locator("[data-auth=authenticated]")).toBeAttached({ timeout: 30_000 });
  await openPack(page, 100);
  await payWith(page, "works");
  await expect(page.getByText("Successfully purchased 100 credits!")).toBeVisible({ timeout: 60_000 });
  await expect(balance(page)).toHaveText(after, { timeout: 30_000 });
};

test("R-PAY-02, R-BUY-20, A-60: the ad network receives a purchase only after consent, without personal data", async ({
  page,
}) => {
  const sent: URL[] = [];
  await page.route("https://www.facebook.com/**", (route) => {
    sent.push(new URL(route.request().url()));
    return route.fulfill({ status: 204 });
  });
  const { who } = await signIn(page, app());
  await buy(page, "refused", "105");
  expect(sent).toEqual([]);
  await buy(page, "allowed", "205");
  await expect.poll(() => sent.length).toBe(1);
  expect(Object.fromEntries(sent[0]?.searchParams ?? [])).toEqual({
    id: AD_PIXEL_ID,
    ev: "Purchase",
    noscript: "1",
    ts: expect.stringMatching(/^\d+$/),
    "cd[value]": "6",
    "cd[currency]": "USD",
    "cd[content_ids]": expect.stringMatching(/^pro_/),
  });
  for (const secret of [who.email, who.username, who.first, who.last]) {
    expect(String(sent[0])).not.toContain(secret);
  }
});
