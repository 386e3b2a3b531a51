import { expect } from "@playwright/test";
import { signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const EMAIL = "new.address@example.org";

test("after a deploy, an open page reloads itself once and keeps what was typed", async ({ page }) => {
  await signIn(page);
  await page.goto("/app/settings");
  await expect(page.locator("[inert]")).toHaveCount(0);
  await page.evaluate(() => Object.assign(window, { isOldPage: true }));
  // The id of an action that this build does not have, as after a deploy that changed it.
  await page.route("**/app/settings", async (route) => {
    const headers = await route.request().allHeaders();
    if (headers["next-action"] === undefined) return route.continue();
    return route.continue({ headers: { ...headers, "next-action": `40${"ab".repeat(20)}` } });
  });
  const openDialog = async () => {
    await page.getByRole("button", { name: "Change email" }).click();
    return page.getByRole("dialog");
  };
  const before = await openDialog();
  await before.getByLabel("New email").fill(EMAIL);
  const reloaded = page.waitForEvent("load");
  await before.getByRole("button", { name: "Send link" }).click();
  await reloaded;
  await expect(page.getByText("We updated the site, so this page was reloaded.")).toBeVisible();
  expect(await page.evaluate(() => "isOldPage" in window)).toBe(false);
  await page.unroute("**/app/settings");
  const after = await openDialog();
  await expect(after.getByLabel("New email")).toHaveValue(EMAIL);
});
