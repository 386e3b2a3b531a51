import { expect } from "@playwright/test";
import { keepUndo } from "./support/hold-timers.ts";
import { arrangeDrafts, choose, selectionTools } from "./support/manage.ts";
import { test } from "./support/test.ts";

test("D9, R-POST-06 several drafts get tagged links and an ending, seen before it is kept, and Undo takes it back", async ({
  page,
}) => {
  const { rows } = await arrangeDrafts(page, ["Cabin", "Bedding", "Ridge"]);
  await choose(page, "Cabin", "Ridge");
  await selectionTools(page).getByRole("button", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit 2 pins" });
  await expect(dialog.getByRole("button", { name: "Change", exact: true })).toBeDisabled();
  await dialog.getByRole("radio", { name: "Replace" }).check();
  await dialog.getByLabel("New link").fill("not a link");
  await expect(dialog.getByText("The link must be a full http or https address.")).toBeVisible();
  await expect(dialog.getByText("Correct what is marked: then you see here what changes.")).toBeVisible();
  await dialog.getByLabel("utm_term").fill("{colour}");
  await expect(dialog.getByText("Only {keyword} and {title} can stand for something.")).toBeVisible();
  await expect(dialog.getByLabel("utm_term")).toHaveAttribute("aria-invalid", "true");
  await expect(dialog.getByLabel("utm_source")).not.toHaveAttribute("aria-invalid");
  await dialog.getByLabel("utm_term").fill("");
  await expect(dialog.getByRole("button", { name: "Change", exact: true })).toBeDisabled();
  await dialog.getByLabel("New link").fill("https://example.com/shop?a=1#top");
  await dialog.getByLabel("utm_campaign").fill("{title}");
  await dialog.getByLabel("Add to the end of each description").fill("#slow");
  const preview = dialog.getByRole("region", { name: "What changes" });
  await expect(preview.getByText("https://example.com/shop?a=1&utm_campaign=ridge#top")).toBeVisible();
  await expect(preview.getByText("2 pins of 2 would change.")).toBeVisible();
  expect((await rows()).map(({ url }) => url)).toEqual([null, null, null]);
  await dialog.getByRole("button", { name: "Change 2 pins" }).click();
  await expect(page.getByText("2 pins changed")).toBeVisible();
  await keepUndo(page);
  await expect(selectionTools(page).getByRole("button", { name: "Edit" })).toBeFocused();
  const changed = new Map((await rows()).map((row) => [row.title, row]));
  expect(changed.get("Cabin")?.url).toBe("https://example.com/shop?a=1&utm_campaign=cabin#top");
  expect(changed.get("Ridge")?.description).toBe("About Ridge #slow");
  expect(changed.get("Bedding")?.url).toBeNull();
  await expect(page.getByRole("region", { name: "Schedule the selected pins" })).toBeVisible();
  await expect(page.getByText("2 selected")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("2 pins are as before")).toBeVisible();
  const before = new Map((await rows()).map((row) => [row.title, row]));
  expect(before.get("Cabin")?.url).toBeNull();
  expect(before.get("Ridge")?.description).toBe("About Ridge");
});

test("R-POST-06 drafts are duplicated to two of many boards, found by name, and Undo takes the copies away", async ({
  page,
}) => {
  const { rows } = await arrangeDrafts(page, ["Cabin", "Ridge"], 12);
  await choose(page, "Cabin", "Ridge");
  await selectionTools(page).getByRole("button", { name: "Duplicate" }).click();
  const dialog = page.getByRole("dialog", { name: "Duplicate 2 pins" });
  await expect(dialog.getByRole("button", { name: "Make drafts" })).toBeDisabled();
  await dialog.getByRole("checkbox").nth(3).check();
  const name = await dialog.getByRole("checkbox").nth(5).getAttribute("id");
  const label = (await dialog.locator(`label[for="${name}"]`).textContent()) ?? "";
  await dialog.getByLabel("Find a board").fill(label.replace(/ \(.*/, ""));
  await dialog.getByRole("checkbox", { name: label }).check();
  await dialog.getByRole("button", { name: "Clear search" }).click();
  await expect(dialog.getByLabel("Find a board")).toBeFocused();
  await expect(dialog.getByRole("checkbox")).toHaveCount(12);
  await expect(dialog.getByRole("checkbox", { checked: true })).toHaveCount(2);
  await expect(dialog.getByText("2 pins on 2 boards: 4 new drafts, for no credits.")).toBeVisible();
  await dialog.getByRole("button", { name: "Make 4 drafts" }).dblclick();
  await expect(page.getByText("4 copies made")).toBeVisible();
  await keepUndo(page);
  await expect.poll(async () => (await rows()).length).toBe(6);
  await expect(selectionTools(page).getByRole("button", { name: "Duplicate" })).toBeFocused();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("4 copies are gone")).toBeVisible();
  expect((await rows()).map(({ title }) => title).sort()).toEqual(["Cabin", "Ridge"]);
});
