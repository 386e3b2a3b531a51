import { expect, type Page } from "@playwright/test";
import { connectQuickly, insertGenerated, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const picks = (page: Page) => page.getByRole("checkbox", { name: /^Select / });

const arrange = async (page: Page, keywords: string[]) => {
  const { token } = await signIn(page);
  const account = await connectQuickly(page, token);
  await insertGenerated(account.id, keywords);
  await page.goto("/app/generated-posts");
  await expect(picks(page)).toHaveCount(keywords.length);
  return { ...account, token };
};

test("renders pins on the server; edits a draft, unschedules a pin, and deletes a draft", async ({ page }) => {
  const { id } = await arrange(page, ["cabins in the woods", "linen bedding"]);
  const html = await (await page.request.get(`/app/generated-posts?account=${id}`)).text();
  expect(html).toContain("cabins in the woods");
  expect(html).toContain("/api/images/signed/");
  await page
    .getByRole("button", { name: /^Pin Details/ })
    .first()
    .click();
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Title", { exact: true }).fill("");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Enter a title.")).toBeVisible();
  await page.getByLabel("Title", { exact: true }).fill("A title of my own");
  await page.getByLabel("Link").fill("https://example.com/mine");
  await page.getByRole("button", { name: "Save" }).click();
  const dialog = page.getByRole("dialog");
  // The preview shows the title before it is saved.
  await expect(dialog.getByRole("button", { name: "Edit", exact: true })).toBeVisible();
  await expect(dialog.getByText("A title of my own")).toBeVisible();
  await page.keyboard.press("Escape");
  for (const pick of await picks(page).all()) await pick.check();
  await page.getByRole("button", { name: "Schedule 2 pins" }).click();
  await expect(page.getByRole("listitem").getByText("Scheduled")).toHaveCount(1, { timeout: 60_000 });
  await page
    .getByRole("listitem")
    .filter({ hasText: "Scheduled" })
    .getByRole("button", { name: /^Pin Details/ })
    .click();
  await page.getByRole("button", { name: "Unschedule" }).click();
  await expect(picks(page)).toHaveCount(1);
  await page
    .getByRole("listitem")
    .filter({ hasText: "Draft" })
    .getByRole("button", { name: /^Pin Details/ })
    .click();
  await page.getByRole("button", { name: "Delete" }).click();
  await expect(picks(page)).toHaveCount(0);
});

test("R-SRV-04 shows why a pin was rejected and publishes it on retry", async ({ page }) => {
  await arrange(page, ["winter branches"]);
  const title = await page.getByRole("button", { name: /^Pin Details/ }).getAttribute("aria-label");
  await page.request.post(`${process.env.E2E_PINTEREST_URL}/__control/faults`, {
    data: {
      match: "POST /v5/pins",
      scenario: "link-invalid",
      times: 1,
      where: { title: title?.replace("Pin Details: ", "") },
    },
  });
  await picks(page).check();
  await page.getByRole("button", { name: "Schedule 1 pin" }).click();
  const card = page.getByRole("listitem").filter({ hasText: "Failed" });
  await expect(card).toBeVisible({ timeout: 60_000 });
  await expect(card.locator("[data-slot=pin-reason]")).not.toBeEmpty();
  await card.getByRole("button", { name: /^Try again/ }).click();
  await expect(page.getByRole("listitem").getByText("Published")).toBeVisible({ timeout: 60_000 });
});
