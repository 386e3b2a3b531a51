import { expect } from "@playwright/test";
import { arrangeDrafts, openDetails } from "./support/manage.ts";
import { test } from "./support/test.ts";

test("publishes a draft once after confirmation", async ({ page }) => {
  const drafts = await arrangeDrafts(page, ["Cabin"]);
  const details = await openDetails(page, "Cabin");
  await details.getByRole("button", { name: "Publish now" }).click();
  const confirmation = page.getByRole("dialog", { name: "Publish this pin now?" });
  await expect(confirmation.getByText(drafts.username)).toBeVisible();
  await confirmation.getByRole("button", { name: "Not yet" }).click();
  await expect(confirmation).toBeHidden();
  await expect(details.getByRole("button", { name: "Publish now" })).toBeFocused();
  expect((await drafts.rows())[0]?.status).toBe("draft");
  await details.getByRole("button", { name: "Publish now" }).click();
  await confirmation.getByRole("button", { name: "Publish now" }).dblclick();
  await expect(details).toBeHidden();
  await expect(page.getByRole("listitem").getByText("Published")).toBeVisible({ timeout: 60_000 });
  expect((await drafts.rows()).map(({ status }) => status)).toEqual(["published"]);
});

test("R-POST-07 edits board, link and alt text of a draft, and duplicates it to another board", async ({ page }) => {
  const { byTitle, rows } = await arrangeDrafts(page, ["Cabin"]);
  const before = (await byTitle()).get("Cabin");
  const details = await openDetails(page, "Cabin");
  await details.getByRole("button", { name: "Edit", exact: true }).click();
  await details.getByLabel("Board").selectOption({ index: 1 });
  await details.getByLabel("Alt text").fill("A cabin among firs");
  await details.getByLabel("Link", { exact: true }).fill("javascript:alert(1)");
  await details.getByRole("button", { name: "Save" }).click();
  await expect(details.getByText("Enter a complete link that starts with http:// or https://.")).toBeVisible();
  await details.getByLabel("Link", { exact: true }).fill("https://example.com/cabin");
  await details.getByRole("button", { name: "Save" }).click();
  await expect(details.getByRole("link", { name: "https://example.com/cabin" })).toBeVisible();
  const after = (await byTitle()).get("Cabin");
  expect(after?.board_id).not.toBe(before?.board_id);
  expect(after?.alt_text).toBe("A cabin among firs");
  await details.getByRole("button", { name: "Duplicate" }).click();
  const copy = page.getByRole("dialog", { name: "Duplicate this pin" });
  await copy.getByRole("checkbox").first().check();
  await copy.getByRole("button", { name: "Create 1 draft" }).click();
  await expect.poll(async () => (await rows()).length).toBe(2);
  await expect(details.getByRole("button", { name: "Duplicate" })).toBeFocused();
});
