import { expect, type Page } from "@playwright/test";
import { balanceOf, paddle, read, signInOn } from "./support/buying.ts";
import type { SignedIn } from "./support/quick.ts";
import { checkAppearances, setAppearance } from "./support/screens.ts";
import { openSettings, payments, plan, shared } from "./support/settings-screen.ts";
import { test } from "./support/test.ts";

const WAIT = { timeout: 60_000 };
const banner = (page: Page) => plan(page).locator("[data-slot=banner]").first();
const cancel = (page: Page) => banner(page).getByRole("button", { name: "Cancel the second plan" });
const dialog = (page: Page) => page.getByRole("dialog", { name: "Cancel the second plan?" });

/** A user who pays for basic, credits, and also for pro. */
const payTwice = async (page: Page): Promise<SignedIn> => {
  const user = await signInOn(page, "basic");
  const { id } = await read(page, user, "/api/users/me/");
  await openSettings(page, shared());
  await expect(payments(page)).toHaveCount(1);
  const buyer = { userId: String(id), email: user.who.email };
  await paddle().buy(buyer, "pack:basic:100");
  // Without a reload.
  await expect(payments(page)).toHaveCount(2, WAIT);
  await paddle().buy(buyer, "plan:pro");
  await expect(async () => {
    await openSettings(page, shared());
    await expect(banner(page)).toContainText("You're paying for a second Pro plan", { timeout: 1_000 });
  }).toPass(WAIT);
  return user;
};

test("A-96, R-SUB-01, R-SET-02, R-SET-03: a payment made elsewhere appears; a second paid plan is shown and canceled by its user; plan and credits stay", {
  tag: "@screens",
}, async ({ page }) => {
  test.setTimeout(300_000);
  const user = await payTwice(page);
  await expect(banner(page)).toContainText("$79 a month, in US dollars before tax, on top of the plan below");
  await expect(plan(page).getByTestId("plan-name")).toHaveText("Basic plan");
  expect(await balanceOf(page, user)).toBe(500);
  await checkAppearances(page, "second-plan");
  await setAppearance(page, 1440, "light");

  await cancel(page).click();
  await dialog(page).getByRole("button", { name: "Cancel the second plan" }).click();
  await expect(banner(page)).toHaveText(
    "Your second plan has been canceled. Your main plan and credits haven't changed.",
    WAIT,
  );
  await expect(banner(page)).toBeFocused();
  await openSettings(page, shared());
  await expect(plan(page).getByTestId("plan-name")).toHaveText("Basic plan");
  await expect(plan(page)).toContainText("Renews on");
  await expect(page.getByText("You're paying for a second")).toHaveCount(0);
  expect(await balanceOf(page, user)).toBe(500);
});
