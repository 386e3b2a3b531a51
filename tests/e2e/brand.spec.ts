import { expect, type Page } from "@playwright/test";
import { badPictures, photo, png } from "#tests/support/sample-pictures.ts";
import { breakCall, connectQuickly, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const shown = (page: Page) => page.getByRole("img", { name: /^Preview: / });
const logoFile = (page: Page) => page.getByLabel("Logo file");
const save = (page: Page) => page.getByRole("button", { name: "Save brand kit" });

/** Until the preview of what is chosen is there: while it is drawn, the one before is pale. */
const drawn = async (page: Page) => {
  await expect(shown(page)).toBeVisible({ timeout: 30_000 });
  await expect(page.locator("[data-stale]")).toHaveCount(0, { timeout: 30_000 });
};

/** Does something that changes the preview, and waits for the new one. */
const redrawn = async (page: Page, change: () => Promise<unknown>) => {
  await drawn(page);
  const before = await shown(page).getAttribute("src");
  await change();
  await expect(shown(page)).not.toHaveAttribute("src", before ?? "", { timeout: 30_000 });
  await drawn(page);
};

const open = async (page: Page) => {
  const { who, token } = await signIn(page);
  const account = await connectQuickly(page, token);
  await page.goto("/app/brand");
  await drawn(page);
  return { who, token, account };
};

test("a palette, a colour of one's own and fonts show at once and are kept for this account alone", async ({
  page,
}) => {
  const { token } = await signIn(page);
  const account = await connectQuickly(page, token);
  const second = await connectQuickly(page, token);
  await page.goto("/app/brand");
  await drawn(page);
  await expect(save(page)).toBeDisabled();
  const plum = page.getByRole("button", { name: "Plum" });
  await redrawn(page, () => plum.click());
  await expect(plum).toHaveAttribute("aria-pressed", "true");
  const accent = page.getByLabel("Accent", { exact: true });
  await accent.fill("#12");
  await expect(page.getByText("A colour is written as # and six digits from 0 to f.")).toBeVisible();
  await redrawn(page, () => accent.fill("0a5c7a"));
  await expect(plum).toHaveAttribute("aria-pressed", "false");
  // The fonts are one stop of the tab key, and arrows choose.
  const fonts = page.getByRole("radio", { name: /^Reading room/ });
  await fonts.focus();
  await redrawn(page, () => page.keyboard.press("ArrowDown"));
  await expect(page.getByRole("radio", { name: /^Handwritten note/ })).toBeChecked();
  await redrawn(page, () => page.getByLabel("Template", { exact: true }).selectOption("Sticker"));
  await breakCall(page, /\/app\/brand/);
  await save(page).click();
  await expect(page.locator("[role=alert][data-slot=field-error]")).toBeVisible();
  await save(page).click();
  await expect(page.getByText("The brand kit is kept")).toBeVisible();
  await expect(page.getByText("All changes are kept.")).toBeVisible();
  await page.reload();
  await expect(accent).toHaveValue("#0a5c7a");
  await expect(page.getByRole("radio", { name: /^Handwritten note/ })).toBeChecked();
  await page.getByLabel("Account").selectOption(second.id);
  await expect(accent).toHaveValue("#1c543a");
  await expect(page.getByRole("radio", { name: /^Reading room/ })).toBeChecked();
  await page.goto(`/app/brand?account=${account.id}`);
  await expect(accent).toHaveValue("#0a5c7a");
});

test("R-SRV-07 a logo is kept as it is chosen; what is none is told in words, and the one before stays", async ({
  page,
}) => {
  await open(page);
  const buffer = await photo(400, 300);
  await redrawn(page, async () => {
    await logoFile(page).setInputFiles({ name: "logo.jpg", mimeType: "image/jpeg", buffer });
    await expect(page.getByText("The logo is kept")).toBeVisible();
  });
  const logo = page.getByRole("img", { name: "Your logo" });
  await expect(logo).toBeVisible();
  const first = await logo.getAttribute("src");
  const problem = page.locator("[aria-labelledby=brand-logo]").getByRole("alert");
  for (const { name, file, says } of await badPictures()) {
    await logoFile(page).setInputFiles({ name: `${name}.png`, mimeType: "image/png", buffer: file });
    await expect(problem).toHaveText(says);
  }
  const large = Buffer.concat([await png(), Buffer.alloc(5_000_000)]);
  await logoFile(page).setInputFiles({ name: "large.png", mimeType: "image/png", buffer: large });
  await expect(problem).toHaveText("A logo may have at most 5 MB.");
  await expect(logo).toHaveAttribute("src", first ?? "");
  await redrawn(page, () => page.getByRole("button", { name: "Remove" }).click());
  await expect(page.getByText("No logo yet")).toBeVisible();
  await page.reload();
  await expect(page.getByText("No logo yet")).toBeVisible();
});
