import { expect } from "@playwright/test";
import { controlPaddle } from "#tests/support/paddle.ts";
import { openSettings, payments, shared, signInPaying } from "./support/settings-screen.ts";
import { test } from "./support/test.ts";

test("R-SET-03 a payment made elsewhere appears in the list", async ({ page }) => {
  const { token, who } = await signInPaying(page, shared(), "plan:basic");
  await openSettings(page, shared());
  await expect(payments(page)).toHaveCount(1);
  const headers = { authorization: `Bearer ${token}` };
  const { id } = await (await page.request.get("/api/users/me/", { headers })).json();
  await controlPaddle(shared().paddleUrl).buy({ userId: id, email: who.email }, "pack:basic:100");
  await expect(payments(page)).toHaveCount(2, { timeout: 60_000 });
});
