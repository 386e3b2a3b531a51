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
