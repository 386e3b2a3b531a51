import { expect, type Page } from "@playwright/test";
import { makeDrafts } from "./support/drafts.ts";
import { cardOf, newPage, openDetails, setPage } from "./support/links.ts";
import { connectQuickly, signIn } from "./support/quick.ts";
import { appearancesFor, checkScreen, expectAccessible, setAppearance } from "./support/screens.ts";
import { test } from "./support/test.ts";

const DEAD = "This page doesn't exist (404). Check the link.";
/** A durable function checks the link, which may take a while on a busy machine. */
const LONG_WAIT = { timeout: 60_000 };
const FINE = "This link looks good now.";

/** A draft with this link, shown in the pin grid. */
const arrange = async (page: Page, url: string, titles = ["Moss garden"]) => {
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  await makeDrafts(page, { token, accountId: id, url }, titles);
  await page.goto("/app/generated-posts");
  await expect(page.locator("[inert]")).toHaveCount(0);
  return { id, token };
};

test("R-SRV-08 shows a dead link on the card, in Pin Details and in the form; checked again it is fine; a private one can be scheduled", async ({
  page,
}) => {
  const url = await newPage(404);
  await arrange(page, url);
  await expect(cardOf(page, "Moss garden").getByText("Broken link")).toBeVisible(LONG_WAIT);
  const dialog = await openDetails(page, "Moss garden");
  await expect(dialog.getByRole("status").getByText(DEAD)).toBeVisible();
  await expectAccessible(page, "a link warning in Pin Details");
  await dialog.getByRole("button", { name: "Edit" }).click();
  await expect(dialog.getByText(DEAD)).toBeVisible();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await setPage(url, 200);
  const again = dialog.getByRole("button", { name: "Check again" });
  await again.focus();
  await expect(async () => {
    await again.press("Enter");
    await expect(dialog.getByText(FINE)).toBeVisible({ timeout: 2_000 });
  }).toPass();
  await expect(again).toBeFocused();
  await expect(cardOf(page, "Moss garden").getByText("Broken link")).toBeHidden();
  await page.keyboard.press("Escape");
  await openDetails(page, "Moss garden");
  await expect(dialog.getByText("Check again")).toBeHidden();

  await dialog.getByRole("button", { name: "Edit" }).click();
  await dialog.getByLabel("Link", { exact: true }).fill("http://0x0a.1/admin");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByText("This link leads to a private network (10.0.0.1)")).toBeVisible();
  await expect(dialog.getByRole("link", { name: "http://10.0.0.1/admin" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("checkbox", { name: "Select Moss garden" }).check();
  await page.getByRole("button", { name: "Schedule 1 pin" }).click();
  await expect(page.getByTestId("notice")).toContainText("Successfully scheduled 1 pins");
});

test("R-SRV-08 WCAG 2.2 AA at every width, in both themes: the pin grid, Pin Details and the form with warnings", {
  tag: "@screens",
}, async ({ page }) => {
  test.setTimeout(240_000);
  const { id, token } = await arrange(page, await newPage(404));
  const more = { token, accountId: id };
  await makeDrafts(
    page,
    { ...more, url: `${await newPage(302, "http://169.254.169.254/latest")}?${"utm_campaign=moss&".repeat(9)}` },
    ["A private one with a longer title"],
  );
  await makeDrafts(page, { ...more, url: await newPage(503) }, ["An error"]);
  await makeDrafts(page, { ...more, url: "https://nobody.example/never-asked" }, ["Not checked"]);
  await expect(cardOf(page, "Moss garden").getByText("Broken link")).toBeVisible(LONG_WAIT);
  for (const { width, theme } of appearancesFor("links")) {
    await setAppearance(page, width, theme);
    await page.reload();
    await expect(cardOf(page, "Moss garden").getByText("Broken link")).toBeVisible(LONG_WAIT);
    await checkScreen(page, `links-wall-${width}-${theme}`);
    const dialog = await openDetails(page, "A private one with a longer title");
    await expect(dialog.getByText("Check again")).toBeVisible();
    await checkScreen(page, `links-details-${width}-${theme}`);
    await dialog.getByRole("button", { name: "Edit" }).click();
    await expect(dialog.getByLabel("Link", { exact: true })).toBeVisible();
    await checkScreen(page, `links-form-${width}-${theme}`);
    await page.keyboard.press("Escape");
  }
});
