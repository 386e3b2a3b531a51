import { expect } from "@playwright/test";
import { arrangeDrafts, openDetails } from "./support/manage.ts";
import { test } from "./support/test.ts";

test("a draft comes with the page, is edited, duplicated to another board, published once after confirmation, and its copy deleted", async ({
  page,
}) => {
  const drafts = await arrangeDrafts(page, ["Cabin"]);
  const { id, byTitle, rows } = drafts;
  const before = (await byTitle()).get("Cabin");
  const details = page.getByRole("dialog", { name: "Pin Details" });

  await test.step("rendered on the server", async () => {
    const html = await (await page.request.get(`/app/generated-posts?account=${id}`)).text();
    expect(html).toContain("Cabin");
    expect(html).toContain("/api/images/signed/");
  });

  await test.step("edit", async () => {
    await openDetails(page, "Cabin");
    await details.getByRole("button", { name: "Edit", exact: true }).click();
    await details.getByLabel("Title", { exact: true }).fill("A title of my own");
    await details.getByLabel("Board").selectOption({ index: 1 });
    await details.getByLabel("Alt text").fill("A cabin among firs");
    await details.getByLabel("Link", { exact: true }).fill("javascript:alert(1)");
    await details.getByRole("button", { name: "Save" }).click();
    await expect(details.getByText("Enter a complete link that starts with http:// or https://.")).toBeVisible();
    await details.getByLabel("Link", { exact: true }).fill("https://example.com/cabin");
    await details.getByRole("button", { name: "Save" }).click();
    await expect(details.getByRole("link", { name: "https://example.com/cabin" })).toBeVisible();
    await expect(details.getByText("A title of my own")).toBeVisible();
    const after = (await byTitle()).get("A title of my own");
    expect(after?.board_id).not.toBe(before?.board_id);
    expect(after?.alt_text).toBe("A cabin among firs");
  });

  await test.step("publish", async () => {
    await details.getByRole("button", { name: "Publish now" }).click();
    const confirmation = page.getByRole("dialog", { name: "Publish this pin now?" });
    await expect(confirmation.getByText(drafts.username)).toBeVisible();
    await confirmation.getByRole("button", { name: "Not yet" }).click();
    await expect(confirmation).toBeHidden();
    await expect(details.getByRole("button", { name: "Publish now" })).toBeFocused();
    expect((await rows()).map(({ status }) => status)).toEqual(["draft"]);

    await details.getByRole("button", { name: "Duplicate" }).click();
    const copy = page.getByRole("dialog", { name: "Duplicate this pin" });
    await copy.getByRole("checkbox").first().check();
    await copy.getByRole("button", { name: "Create 1 draft" }).click();
    await expect.poll(async () => (await rows()).length).toBe(2);
    await expect(details.getByRole("button", { name: "Duplicate" })).toBeFocused();

    await details.getByRole("button", { name: "Publish now" }).click();
    await confirmation.getByRole("button", { name: "Publish now" }).dblclick();
    await expect(details).toBeHidden();
    await expect(page.getByRole("listitem").getByText("Published")).toBeVisible({ timeout: 60_000 });
    expect((await rows()).map(({ status }) => status).toSorted()).toEqual(["draft", "published"]);
  });

  await test.step("delete the copy", async () => {
    await page
      .getByRole("listitem")
      .filter({ hasText: "Draft" })
      .getByRole("button", { name: /^Pin Details/ })
      .click();
    await details.getByRole("button", { name: "Delete" }).click();
    await expect.poll(async () => (await rows()).map(({ status }) => status)).toEqual(["published"]);
    await expect(page.getByRole("checkbox", { name: /^Select / })).toHaveCount(0);
  });
});
