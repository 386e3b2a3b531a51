import { expect, type Page } from "@playwright/test";
import { grant } from "#tests/e2e/support/grant.ts";
import { dressAsFirst, lookAtAll } from "#tests/e2e/support/looks.ts";
import { connectQuickly, generateQuickly, pasteLines, signIn } from "#tests/e2e/support/quick.ts";
import { test } from "#tests/e2e/support/test.ts";

const KEYWORDS = [
  "evergreen cabins",
  "slow sunday bread",
  "small balcony garden",
  "linen bedding",
  "coast packing list",
  "forbidden subject",
  "citrus desserts",
  "beginner quilting",
  "winter branches",
  "quiet bedroom",
  "ridge walks",
  "kitchen tile ideas",
];

const CREATOR = "/app/evertack-creator";

const settled = async (page: Page, path: string): Promise<void> => {
  await page.goto(path);
  await expect(page.locator("[inert]")).toHaveCount(0);
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
};

/** Opens a screen as a phone in the dark does. */
const firstOn = async (page: Page, path: string): Promise<void> => {
  await dressAsFirst(page);
  await settled(page, path);
};

test("R-BRD-03 accounts, boards, settings and the creator at three widths in both themes", { tag: "@screens" }, async ({
  page,
}) => {
  test.setTimeout(300_000);
  const { token } = await signIn(page);
  await firstOn(page, "/app");
  await lookAtAll(page, "accounts-empty");
  await connectQuickly(page, token);
  await firstOn(page, "/app");
  await lookAtAll(page, "accounts");
  await firstOn(page, "/app/board-manager");
  await lookAtAll(page, "boards");
  await firstOn(page, "/app/settings");
  await lookAtAll(page, "settings");
  await firstOn(page, CREATOR);
  await lookAtAll(page, "creator");
});

test("R-TRK-01 pins on their way and at their end, at three widths in both themes", { tag: "@screens" }, async ({
  page,
}) => {
  test.setTimeout(300_000);
  const { who, token } = await signIn(page);
  await connectQuickly(page, token);
  await grant(who.email, 40);
  await settled(page, CREATOR);
  await page.getByLabel("Board", { exact: true }).selectOption({ index: 2 });
  await page.getByLabel("Keyword 1", { exact: true }).click();
  await pasteLines(page, KEYWORDS);
  await page.getByRole("button", { name: "Generate Content" }).click();
  await expect(page.getByText(`of ${KEYWORDS.length} finished`)).toBeVisible();
  await lookAtAll(page, "progress");
  await expect(page.getByText("Pin generation complete!")).toBeVisible({ timeout: 90_000 });
  await expect(page.getByText("1 pin(s) failed to generate.")).toBeVisible();
  await lookAtAll(page, "progress-done");
});

test("R-POST-06 the wall and what it tells of a pin, at three widths in both themes", { tag: "@screens" }, async ({
  page,
}) => {
  test.setTimeout(300_000);
  const { who, token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  await grant(who.email, 40);
  await generateQuickly(page, token, id, KEYWORDS);
  const select = (at: number) =>
    page
      .getByRole("checkbox", { name: /^Select / })
      .nth(at)
      .check();
  await settled(page, "/app/generated-posts");
  await select(0);
  await select(1);
  await page.getByRole("button", { name: "Schedule 2 pins" }).click();
  await expect(page.getByRole("listitem").getByText("Published")).toHaveCount(1, { timeout: 60_000 });
  await settled(page, "/app/generated-posts");
  for (const at of [0, 1, 2]) await select(at);
  await lookAtAll(page, "posts");
  await settled(page, "/app/generated-posts?status=published");
  await page
    .getByRole("button", { name: /^Pin Details/ })
    .first()
    .click();
  await expect(page.getByRole("region", { name: "Receipt" })).toBeVisible();
  await lookAtAll(page, "details");
});
