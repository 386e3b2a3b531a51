import { expect, type Page } from "@playwright/test";
import { insertDrafts } from "#tests/e2e/support/drafts.ts";
import { connectQuickly, signIn } from "#tests/e2e/support/quick.ts";
import { appearancesFor, checkScreen, setAppearance } from "#tests/e2e/support/screens.ts";
import { test } from "#tests/e2e/support/test.ts";

// Each test has its own user; one after another, they would keep a single worker busy at the end of a run.
test.describe.configure({ mode: "parallel" });

interface PinJson {
  id: string;
  title: string;
  status: string;
  image_url: string;
  template_id: string | null;
}

const dialog = (page: Page) => page.getByRole("dialog");
const shown = (page: Page) => page.getByRole("img", { name: /^Preview: / });
const thumbs = (page: Page) => page.locator("[data-slot=template-thumb] img");

const arrange = async (page: Page, titles: string[]) => {
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  await insertDrafts({ accountId: id }, titles);
  await page.goto("/app/generated-posts");
  await expect(page.getByRole("checkbox", { name: /^Select / })).toHaveCount(titles.length);
  const headers = { authorization: `Bearer ${token}` };
  const posts = async (): Promise<PinJson[]> => {
    const answer = await page.request.get(`/api/users/pinterest/generated-pins/${id}/?status=all`, { headers });
    const { posts: all } = (await answer.json()) as { posts: PinJson[] };
    return titles.flatMap((title) => all.find((post) => post.title === title) ?? []);
  };
  const credits = async () => (await (await page.request.get("/api/users/credits/", { headers })).json()) as object;
  return { headers, posts, credits };
};

/** Waits for all previews of the current choice. */
const untilDrawn = async (page: Page) => {
  await expect(thumbs(page)).toHaveCount(8, { timeout: 60_000 });
  await expect(shown(page)).toBeVisible({ timeout: 60_000 });
  await expect(page.locator("[data-stale]")).toHaveCount(0, { timeout: 60_000 });
};

const choose = async (page: Page) => {
  await page
    .getByRole("region", { name: "Actions for the selected pins" })
    .getByRole("button", { name: "Template" })
    .click();
  await untilDrawn(page);
};

test("the template dialog is accessible at every width, in light and dark", { tag: "@screens" }, async ({ page }) => {
  test.setTimeout(240_000);
  await arrange(page, ["Fern shade", "Moss walls"]);
  await page.getByRole("button", { name: "Select all drafts" }).click();
  await choose(page);
  for (const { width, theme } of appearancesFor("templates")) {
    await setAppearance(page, width, theme);
    await untilDrawn(page);
    await checkScreen(page, `templates-${width}-${theme}`);
  }
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toBeHidden();
});
