import { expect, type Page } from "@playwright/test";
import { badImages, photo, png } from "#tests/support/sample-images.ts";
import { connectQuickly, failCall, signIn } from "./support/quick.ts";
import { checkAppearances, setAppearance } from "./support/screens.ts";
import { test } from "./support/test.ts";

const shown = (page: Page) => page.getByRole("img", { name: /^Preview: / });
const logoFile = (page: Page) => page.getByLabel("Logo file");
const save = (page: Page) => page.getByRole("button", { name: "Save brand kit" });

/** Waits for the preview of the current choice; while it is stale, it is dimmed. */
const untilDrawn = async (page: Page) => {
  await expect(shown(page)).toBeVisible({ timeout: 30_000 });
  await expect(page.locator("[data-stale]")).toHaveCount(0, { timeout: 30_000 });
};

/** Does something that changes the preview, and waits for the new one. */
const untilRedrawn = async (page: Page, change: () => Promise<unknown>) => {
  await untilDrawn(page);
  const before = await shown(page).getAttribute("src");
  await change();
  await expect(shown(page)).not.toHaveAttribute("src", before ?? "", { timeout: 30_000 });
  await untilDrawn(page);
};

const open = async (page: Page) => {
  const { who, token } = await signIn(page);
  const account = await connectQuickly(page, token);
  await page.goto("/app/brand");
  await untilDrawn(page);
  return { who, token, account };
};

test("a palette, a custom color and fonts show at once and are saved for this account only", async ({ page }) => {
  const { token } = await signIn(page);
  const account = await connectQuickly(page, token);
  const second = await connectQuickly(page, token);
  await page.goto("/app/brand");
  await untilDrawn(page);
  await expect(save(page)).toBeDisabled();
  const plum = page.getByRole("button", { name: "Plum" });
  await untilRedrawn(page, () => plum.click());
  await expect(plum).toHaveAttribute("aria-pressed", "true");
  const accent = page.getByLabel("Accent", { exact: true });
  await accent.fill("#12");
  await expect(page.getByText("Enter a hex color code, like #1c543a.")).toBeVisible();
  await untilRedrawn(page, () => accent.fill("0a5c7a"));
  await expect(plum).toHaveAttribute("aria-pressed", "false");
  // The radio group is one tab stop, and arrow keys choose.
  const fonts = page.getByRole("radio", { name: /^Reading room/ });
  await fonts.focus();
  await untilRedrawn(page, () => page.keyboard.press("ArrowDown"));
  await expect(page.getByRole("radio", { name: /^Handwritten note/ })).toBeChecked();
  await untilRedrawn(page, () => page.getByLabel("Template", { exact: true }).selectOption("Sticker"));
  await failCall(page, /\/app\/brand/);
  await save(page).click();
  await expect(page.locator("[role=alert][data-slot=field-error]")).toBeVisible();
  await save(page).click();
  await expect(page.getByText("Brand kit saved")).toBeVisible();
  await expect(page.getByText("All changes saved.")).toBeVisible();
  await page.reload();
  await expect(accent).toHaveValue("#0a5c7a");
  await expect(page.getByRole("radio", { name: /^Handwritten note/ })).toBeChecked();
  await page.getByLabel("Account").selectOption(second.id);
  await expect(accent).toHaveValue("#1c543a");
  await expect(page.getByRole("radio", { name: /^Reading room/ })).toBeChecked();
  await page.goto(`/app/brand?account=${account.id}`);
  await expect(accent).toHaveValue("#0a5c7a");
});

test("R-SRV-07 a chosen logo is saved immediately; a bad file shows why, and the previous logo stays", {
  tag: "@screens",
}, async ({ page }) => {
  test.setTimeout(300_000);
  await open(page);
  const buffer = await photo(400, 300);
  await untilRedrawn(page, async () => {
    await logoFile(page).setInputFiles({ name: "logo.jpg", mimeType: "image/jpeg", buffer });
    await expect(page.getByText("Logo saved")).toBeVisible();
  });
  const logo = page.getByRole("img", { name: "Your logo" });
  await expect(logo).toBeVisible();
  await checkAppearances(page, "brand", () => untilDrawn(page));
  await setAppearance(page, 1440, "light");
  const first = await logo.getAttribute("src");
  const problem = page.locator("[aria-labelledby=brand-logo]").getByRole("alert");
  for (const { name, file, says } of await badImages()) {
    await logoFile(page).setInputFiles({ name: `${name}.png`, mimeType: "image/png", buffer: file });
    await expect(problem).toHaveText(says);
  }
  const large = Buffer.concat([await png(), Buffer.alloc(5_000_000)]);
  await logoFile(page).setInputFiles({ name: "large.png", mimeType: "image/png", buffer: large });
  await expect(problem).toHaveText("Logos can be up to 5 MB.");
  await expect(logo).toHaveAttribute("src", first ?? "");
  await untilRedrawn(page, () => page.getByRole("button", { name: "Remove" }).click());
  await expect(page.getByText("No logo yet")).toBeVisible();
  await page.reload();
  await expect(page.getByText("No logo yet")).toBeVisible();
});
