import { expect } from "@playwright/test";
import { connect, login, newPerson, register } from "./support/person.ts";
import { test } from "./support/test.ts";

test("R-GEN-01, R-REG-15, R-LOGIN-05, R-ACC-08, R-ROUTE-22, R-ROUTE-23, R-AIC-08, R-TRK-04, R-SCH-07, R-SRV-03 from registering to published receipts", async ({
  page,
}) => {
  const who = newPerson();
  await test.step("register and sign in", async () => {
    await register(page, who);
    await login(page, who);
  });

  await test.step("connect a Pinterest account", async () => {
    await connect(page, "juniper.studio");
    const card = page.getByRole("listitem").filter({ hasText: "juniper.studio" });
    await expect(card.getByText("Boards")).toBeVisible();
    await expect(card.getByRole("link", { name: /View Profile/ })).toHaveAttribute("href", /juniper\.studio/);
  });

  await test.step("read its boards", async () => {
    await page.getByRole("link", { name: "Board Manager" }).click();
    await expect(page).toHaveURL("/app/board-manager");
    await expect(page.getByRole("row")).not.toHaveCount(1);
  });

  await test.step("make three pins from keywords, and watch", async () => {
    await page
      .getByRole("link", { name: /Creator$/ })
      .first()
      .click();
    await expect(page).toHaveURL("/app/evertack-creator");
    const generate = page.getByRole("button", { name: "Generate Content" });
    await expect(generate).toBeDisabled();
    await page.getByLabel("Board", { exact: true }).selectOption({ index: 1 });
    await page.getByLabel("Keyword 1", { exact: true }).fill("cabins in the woods");
    await page.getByLabel("URL for keyword 1 (optional)").fill("https://example.com/cabins");
    await page.getByLabel("Keyword 2", { exact: true }).fill("slow sunday bread");
    await page.getByLabel("Keyword 3", { exact: true }).fill("small balcony garden");
    await generate.click();
    await expect(page.getByText("of 3 finished")).toBeVisible();
    await expect(generate).toBeHidden();
    await expect(page.getByText("Pin generation complete!")).toBeVisible({ timeout: 60_000 });
  });

  await test.step("choose two drafts and schedule them", async () => {
    await page.getByRole("link", { name: "Choose and schedule" }).click();
    await expect(page.getByRole("checkbox", { name: /^Select / })).toHaveCount(3);
    await page
      .getByRole("checkbox", { name: /^Select / })
      .first()
      .check();
    await expect(page.getByText("1 selected")).toBeVisible();
    await page.getByRole("button", { name: "Schedule 1 pin" }).click();
    await expect(page.getByTestId("notice")).toContainText(
      "Successfully scheduled 1 pins for publishing. Last pin will be published by ",
    );
  });

  await test.step("see it published once, with its receipt", async () => {
    await expect(page.getByRole("listitem").getByText("Published")).toBeVisible({ timeout: 60_000 });
    const link = page.getByRole("link", { name: /^See it/ });
    await expect(link).toHaveAttribute("href", /\/pin\/\d+\/$/);
    await page
      .getByRole("listitem")
      .filter({ hasText: "Published" })
      .getByRole("button", { name: /^Pin Details/ })
      .click();
    await expect(page.getByRole("region", { name: "Publishing receipt" })).toContainText("1. Published");
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toBeHidden();
  });
});
