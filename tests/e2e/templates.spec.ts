import { expect, type Page } from "@playwright/test";
import { insertDrafts } from "./support/drafts.ts";
import { keepUndo } from "./support/hold-timers.ts";
import { connectQuickly, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

interface PinJson {
  id: string;
  title: string;
  status: string;
  image_url: string;
  template_id: string | null;
}

const pick = ({ id, title, status, image_url, template_id }: PinJson): PinJson => ({
  id,
  title,
  status,
  image_url,
  template_id,
});

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
    const ofTitle = (title: string) => all.find((post) => post.title === title);
    return titles.flatMap(ofTitle).flatMap((post) => (post ? [pick(post)] : []));
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

/** Does something that changes the preview, and waits for the new one. */
const untilRedrawn = async (page: Page, change: () => Promise<unknown>) => {
  const before = await shown(page).getAttribute("src");
  await change();
  await expect(shown(page)).not.toHaveAttribute("src", before ?? "", { timeout: 30_000 });
  await untilDrawn(page);
};

test("A-15 a template on two drafts without credits: exact previews, Undo, another template, and removal", async ({
  page,
}) => {
  const { posts, credits } = await arrange(page, ["Fern shade", "Moss walls"]);
  const [before, had] = [await posts(), await credits()];
  await page.getByRole("button", { name: "Select all drafts" }).click();
  await choose(page);
  await expect(dialog(page).getByRole("heading", { name: "Template for 2 pins" })).toBeVisible();
  // The radio group is one tab stop, and arrow keys choose.
  await dialog(page).getByRole("radio", { name: "Label" }).focus();
  await untilRedrawn(page, () => page.keyboard.press("ArrowRight"));
  await expect(dialog(page).getByRole("radio", { name: "Band" })).toBeChecked();
  await untilRedrawn(page, () => dialog(page).getByRole("button", { name: "Next pin" }).click());
  await expect(dialog(page).getByText("Pin 2 of 2")).toBeVisible();
  await dialog(page).getByRole("button", { name: "Apply to 2 pins" }).click();
  await expect(page.getByText("Template applied to 2 images")).toBeVisible({ timeout: 30_000 });
  await keepUndo(page);
  await expect(dialog(page)).toBeHidden();
  const templated = await posts();
  expect(templated.map(({ template_id }) => template_id)).toEqual(["band", "band"]);
  await expect(page.locator(`img[src*="${templated[0]?.image_url}"]`).first()).toBeAttached();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(posts).toEqual(before);

  await choose(page);
  await untilRedrawn(page, () => dialog(page).getByText("Sticker").click());
  await dialog(page).getByRole("button", { name: "Apply to 2 pins" }).click();
  await expect(dialog(page)).toBeHidden({ timeout: 30_000 });
  expect((await posts()).map(({ template_id }) => template_id)).toEqual(["disc", "disc"]);
  await choose(page);
  await expect(dialog(page).getByRole("radio", { name: "Sticker" })).toBeChecked();
  await dialog(page).getByRole("button", { name: "Remove template" }).click();
  await expect(page.getByText("Template removed from 2 images")).toBeVisible({ timeout: 30_000 });
  expect(await posts()).toEqual(before);
  expect(await credits()).toEqual(had);
});
