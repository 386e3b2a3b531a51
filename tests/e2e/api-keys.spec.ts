import { expect, type Page } from "@playwright/test";
import { connectQuickly, signInConfirmed } from "./support/quick.ts";
import { appearancesFor, checkScreen, setAppearance } from "./support/screens.ts";
import { test } from "./support/test.ts";

/** Tries a write in the reference: first the body that it starts with, which lacks values, then a complete one. */
const createWebhook = async (page: Page, secret: string): Promise<void> => {
  const call = page.getByRole("region", { name: "Create a webhook", exact: true });
  await call.getByText("Try it").click();
  await call.getByLabel("API key").fill(secret);
  const send = async () => {
    const sent = page.waitForRequest((request) => request.method() === "POST" && request.url().endsWith("/webhooks"));
    await call.getByRole("button", { name: "Send" }).click();
    return (await sent).headers()["idempotency-key"] ?? "";
  };
  const first = await send();
  await expect(call.getByText("Response: 400")).toBeVisible();
  await call
    .getByLabel("Body")
    .fill(JSON.stringify({ url: "https://hooks.example.com/pins", events: ["pin.published"] }));
  const second = await send();
  await expect(call.getByText("Response: 201")).toBeVisible();
  await expect(call.getByRole("region", { name: "Response" })).toContainText(/"secret": "whsec_/);
  expect([first.length > 0, second.length > 0, first === second]).toEqual([true, true, false]);
  await page.goto("/app/settings/webhooks");
  await expect(page.getByRole("heading", { name: "https://hooks.example.com/pins" })).toBeVisible();
};

test("a key is created, tried in the reference, seen in the log, and revoked", { tag: "@screens" }, async ({
  page,
  baseURL,
}) => {
  const { token } = await signInConfirmed(page);
  const { username } = await connectQuickly(page, token);
  await page.goto("/app/settings");
  await page.getByRole("link", { name: "Manage API keys" }).click();
  await page.getByRole("button", { name: "Create an API key" }).click();
  await page.getByLabel("Name").fill("My script");
  await page.getByRole("checkbox", { name: /^accounts:read/ }).check();
  await page.getByRole("checkbox", { name: /^webhooks:write/ }).check();
  for (const { width, theme } of appearancesFor("api-keys-new")) {
    await setAppearance(page, width, theme);
    await checkScreen(page, `api-keys-new-${width}-${theme}`);
  }
  await page.getByRole("button", { name: "Create key" }).click();
  const secret = await page.getByText(/^evertack_\w+$/).innerText();
  await page.getByRole("button", { name: "I've saved it" }).click();
  await expect(page.getByRole("list", { name: "API keys" })).toContainText(secret.slice(0, 13));

  await page.goto("/developers");
  const calls = page.getByRole("region", { name: "List accounts", exact: true });
  await calls.getByText("Try it").click();
  await calls.getByLabel("API key").fill(secret);
  await calls.getByRole("button", { name: "Send" }).click();
  await expect(calls.getByText("Response: 200")).toBeVisible();
  await expect(calls.getByRole("region", { name: "Response" })).toContainText(username);
  const credits = page.getByRole("region", { name: "Get the credit balance", exact: true });
  await credits.getByText("Try it").click();
  await credits.getByLabel("API key").fill(secret);
  await credits.getByRole("button", { name: "Send" }).click();
  await expect(credits.getByText("Response: 403")).toBeVisible();
  await createWebhook(page, secret);

  await expect(async () => {
    await page.goto("/app/settings/api-keys");
    await expect(page.getByRole("row", { name: /GET \/accounts\b.*200/ })).toBeVisible({ timeout: 1_000 });
    await expect(page.getByRole("row", { name: /GET \/credits\b.*403/ })).toBeVisible({ timeout: 1_000 });
    await expect(page.getByRole("row", { name: /POST \/webhooks\b.*201/ })).toBeVisible({ timeout: 1_000 });
  }).toPass();
  for (const { width, theme } of appearancesFor("api-keys")) {
    await setAppearance(page, width, theme);
    await checkScreen(page, `api-keys-${width}-${theme}`);
  }
  await page.getByRole("button", { name: "Revoke My script" }).click();
  await page.getByRole("button", { name: "Revoke", exact: true }).click();
  await expect(page.getByText("Revoked")).toBeVisible();
  const refused = await fetch(`${baseURL}/api/v1/accounts`, { headers: { authorization: `Bearer ${secret}` } });
  expect(refused.status).toBe(401);
});
