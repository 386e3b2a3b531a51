import { expect } from "@playwright/test";
import { connectQuickly, insertPins, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

test("a trend is found, saved to a list, and becomes a scheduled pin; its season leads to the calendar", async ({
  page,
}) => {
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  await insertPins(id, [{ title: "A draft for fall" }]);
  await page.goto("/app");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Keywords" }).click();
  await expect(page.getByRole("heading", { name: "Keywords", level: 1 })).toBeVisible();
  await page.getByRole("combobox", { name: /^Trend/ }).selectOption("Seasonal");
  await page.getByRole("searchbox", { name: "Search trends" }).fill("pumpkin, salad");
  await page.keyboard.press("Enter");
  const row = page.getByRole("row", { name: /pumpkin soup recipe/ });
  await expect(row).toContainText(/Peaks around Oct/);
  await expect(page.getByRole("row", { name: /tomato/ })).toHaveCount(0);
  const season = row.getByRole("link", { name: "Plan in calendar for pumpkin soup recipe" });
  const days = new URL((await season.getAttribute("href")) ?? "", page.url()).searchParams;
  await page.getByRole("checkbox", { name: "pumpkin soup recipe" }).check();
  await page.getByRole("checkbox", { name: "summer salad recipes" }).check();
  await page.getByRole("button", { name: "Save to list…" }).click();
  await page.getByLabel("Name of the new list").fill("Next season");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("2 keywords saved to Next season")).toBeVisible();
  await page.getByRole("tab", { name: /Lists/ }).click();
  await page.reload();
  await expect(page.getByRole("heading", { name: "Next season" })).toBeVisible();
  await page.getByRole("checkbox", { name: "summer salad recipes" }).check();
  await page.getByRole("link", { name: "Create pins" }).click();
  await expect(page).toHaveURL(/\/app\/evertack-creator\?keyword=summer\+salad\+recipes&account=acc_/);
  await expect(page.getByLabel("Keyword 1", { exact: true })).toHaveValue("summer salad recipes");

  await page.getByLabel("Board", { exact: true }).selectOption({ index: 1 });
  await page.getByRole("button", { name: "Generate Content" }).click();
  await expect(page.getByText("Pin generation complete!")).toBeVisible({ timeout: 60_000 });
  await page.getByRole("link", { name: "Choose and schedule" }).click();
  await page.getByRole("checkbox", { name: /^Select .*summer salad recipes/i }).check();
  await page.getByRole("button", { name: "Schedule 1 pin" }).click();
  await expect(page.getByTestId("notice")).toContainText("Successfully scheduled 1 pins for publishing.");

  await page.goto(`/app/calendar?${days}`);
  await page.getByRole("link", { name: "Set up posting slots" }).click();
  await page.getByLabel("Time", { exact: true }).fill("09:00");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("button", { name: "Save slots" }).click();
  await expect(page.getByText("Slots saved")).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "Calendar" }).click();
  await page.getByRole("checkbox", { name: "A draft for fall" }).check();
  await page.getByRole("button", { name: "Fill free slots" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByLabel("From")).toHaveValue(days.get("from") ?? "");
  await expect(dialog.getByLabel("To (optional)")).toHaveValue(days.get("to") ?? "");
  await page.getByRole("button", { name: "Schedule this pin" }).click();
  await expect(page.getByText(/^Pin scheduled for .* 9:00 AM$/)).toBeVisible();
  await page.reload();
  const planned = page.locator("[data-slot=calendar-pin]").filter({ hasText: "A draft for fall" });
  await expect(planned).toContainText("9:00 AM");
});
