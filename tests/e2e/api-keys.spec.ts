import { expect, type Page } from "@playwright/test";
import { and, eq } from "drizzle-orm";
import { apiKeys, apiKeyUses } from "#db/schema/api-keys.ts";
import type { UserId } from "#lib/core/ids.ts";
import { fixtures, signInConfirmed } from "./support/quick.ts";
import { appearancesFor, checkScreen, setAppearance } from "./support/screens.ts";
import { test } from "./support/test.ts";

/** Reads are recorded within a second; waiting here loads the page only once. */
const untilRecorded = async (userId: UserId, calls: readonly string[]): Promise<void> => {
  const recorded = () =>
    fixtures()
      .db.select({ call: apiKeyUses.call })
      .from(apiKeyUses)
      .innerJoin(apiKeys, and(eq(apiKeys.id, apiKeyUses.keyId), eq(apiKeys.userId, userId)));
  await expect.poll(async () => (await recorded()).map(({ call }) => call).toSorted()).toEqual(calls);
};

const checkEach = async (page: Page, name: "api-keys" | "api-keys-new"): Promise<void> => {
  for (const { width, theme } of appearancesFor(name)) {
    await setAppearance(page, width, theme);
    await checkScreen(page, `${name}-${width}-${theme}`);
  }
  await setAppearance(page, 1440, "light");
};

test("a key is created, used, seen in the log, and revoked", { tag: "@screens" }, async ({ page, baseURL }) => {
  const { who } = await signInConfirmed(page);
  await page.goto("/app/settings");
  await page.getByRole("link", { name: "Manage API keys" }).click();
  await page.getByRole("button", { name: "Create an API key" }).click();
  await page.getByLabel("Name").fill("My script");
  await page.getByRole("checkbox", { name: /^accounts:read/ }).check();
  await page.getByRole("checkbox", { name: /^webhooks:write/ }).check();
  await checkEach(page, "api-keys-new");
  await page.getByRole("button", { name: "Create key" }).click();
  const secret = await page.getByText(/^evertack_\w+$/).innerText();
  await page.getByRole("button", { name: "I've saved it" }).click();
  await expect(page.getByRole("list", { name: "API keys" })).toContainText(secret.slice(0, 13));

  const use = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const write = body && { method: "POST", body: JSON.stringify(body) };
    return (await fetch(`${baseURL}/api/v1/${path}`, { headers, ...write })).status;
  };
  const webhook = { url: "https://hooks.example.com/pins", events: ["pin.published"] };
  expect([await use("accounts"), await use("credits"), await use("webhooks", webhook)]).toEqual([200, 403, 201]);
  await untilRecorded(who.id, ["GET /api/v1/accounts", "GET /api/v1/credits", "POST /api/v1/webhooks"]);
  await page.reload();
  await expect(page.getByRole("row", { name: /GET \/accounts\b.*200/ })).toBeVisible();
  await expect(page.getByRole("row", { name: /GET \/credits\b.*403/ })).toBeVisible();
  await expect(page.getByRole("row", { name: /POST \/webhooks\b.*201/ })).toBeVisible();
  await checkEach(page, "api-keys");
  await page.getByRole("button", { name: "Revoke My script" }).click();
  await page.getByRole("button", { name: "Revoke", exact: true }).click();
  // The security log also gets the line “Key revoked”.
  await expect(page.getByText("Revoked", { exact: true })).toBeVisible();
  expect(await use("accounts")).toBe(401);
});
