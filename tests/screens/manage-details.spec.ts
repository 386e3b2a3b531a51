import { expect, type Page } from "@playwright/test";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { arrangeDrafts, choose, openDetails, selectionTools } from "#tests/e2e/support/manage.ts";
import { appearancesFor, checkScreen, setAppearance, takeScreenshot } from "#tests/e2e/support/screens.ts";
import { afterEffects, test } from "#tests/e2e/support/test.ts";

// Each test has its own user; one after another, they would keep a single worker busy at the end of a run.
test.describe.configure({ mode: "parallel" });

/** Schedules every draft for tomorrow, an hour apart. */
const scheduleAll = async (page: Page, { headers, rows }: Awaited<ReturnType<typeof arrangeDrafts>>) => {
  const start = addMs(new Date(), DAY_MS).toISOString();
  const answer = await page.request.post("/api/users/pinterest/batch-publish-pins/", {
    headers,
    data: { post_ids: (await rows()).map(({ id }) => id), interval_minutes: 60, start },
  });
  expect(answer.ok()).toBe(true);
  await page.reload();
};

test("tools and details at every width in both themes", { tag: "@screens" }, async ({ page }) => {
  test.setTimeout(300_000);
  const drafts = await arrangeDrafts(page, ["Cabin among the firs, a first outing well prepared", "Ridge"], 12);
  await choose(page, "Ridge", "Cabin among the firs, a first outing well prepared");
  for (const { width, theme } of appearancesFor("manage-details")) {
    await setAppearance(page, width, theme);
    const name = (what: string) => `manage-${what}-${width}-${theme}`;
    const use = async (word: string) => {
      if (width < 768) {
        await selectionTools(page).getByRole("button", { name: "Actions" }).click();
        if (word === "Edit") await takeScreenshot(page, name("menu"));
        await page.getByRole("menuitem", { name: word }).click();
      } else await selectionTools(page).getByRole("button", { name: word }).click();
    };
    await use("Edit");
    await page.getByLabel("utm_campaign").fill("{title}");
    await page.getByRole("radio", { name: "Replace" }).check();
    await page.getByLabel("New link").fill("https://example.com/shop");
    await page.getByLabel("Add to the end of each description").fill("#slow");
    await expect(page.getByText("2 of 2 pins will change.")).toBeVisible();
    await checkScreen(page, name("edit"));
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Discard" }).click();
    await use("Duplicate");
    await page.getByRole("checkbox").nth(2).check();
    await checkScreen(page, name("duplicate"));
    await page.keyboard.press("Escape");
    await takeScreenshot(page, name("tools"));
    const details = await openDetails(page, "Cabin among the firs, a first outing well prepared");
    for (const view of ["Image", "Feed", "Close-up"]) {
      await details.getByRole("radio", { name: view }).check();
      await checkScreen(page, name(`details-${view}`));
    }
    await details.getByRole("radio", { name: "Desktop" }).check();
    await checkScreen(page, name("details-Desktop"));
    await details.getByRole("button", { name: "Publish now" }).click();
    await checkScreen(page, name("publish"));
    await page.keyboard.press("Escape");
    await details.getByRole("button", { name: "Edit", exact: true }).click();
    await checkScreen(page, name("details-edit"));
    await page.keyboard.press("Escape");
  }
  await scheduleAll(page, drafts);
  for (const { width, theme } of appearancesFor("manage")) {
    await setAppearance(page, width, theme);
    const details = await openDetails(page, "Ridge");
    await details.getByRole("button", { name: "Reschedule" }).click();
    await checkScreen(page, `manage-reschedule-${width}-${theme}`);
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog", { name: "When should this pin be published?" })).toBeHidden();
    await afterEffects(page);
    await page.keyboard.press("Escape");
    await expect(details).toBeHidden();
  }
});
