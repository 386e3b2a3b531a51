import { expect, type Page } from "@playwright/test";
import { eq } from "drizzle-orm";
import { logins } from "#db/schema/identity.ts";
import { grant } from "#tests/e2e/support/grant.ts";
import { connectQuickly, fixtures, generateQuickly, pasteLines, signIn } from "#tests/e2e/support/quick.ts";
import { checkAppearances, setFirstAppearance } from "#tests/e2e/support/screens.ts";
import { test } from "#tests/e2e/support/test.ts";

// Each test has its own user; one after another, they would keep a single worker busy at the end of a run.
test.describe.configure({ mode: "parallel" });

const KEYWORDS = [
  "cabins in the woods",
  "slow sunday bread",
  "small balcony garden",
  "linen bedding",
  "coast packing list",
  "forbidden subject",
  "citrus desserts",
  "beginner quilting",
  "winter branches",
  "quiet bedroom",
  "ridge hikes",
  "kitchen tile ideas",
];

const CREATOR = "/app/evertack-creator";

const openSettled = async (page: Page, path: string): Promise<void> => {
  await page.goto(path);
  await expect(page.locator("[inert]")).toHaveCount(0);
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
};

/** Opens a screen in the first appearance. */
const openFirst = async (page: Page, path: string): Promise<void> => {
  await setFirstAppearance(page);
  await openSettled(page, path);
};

test("R-BRD-03 accounts, boards, settings and the creator at three widths in both themes", { tag: "@screens" }, async ({
  page,
}) => {
  test.setTimeout(300_000);
  const { who, token } = await signIn(page);
  await openFirst(page, "/app");
  await checkAppearances(page, "accounts-empty");
  await connectQuickly(page, token);
  await openFirst(page, "/app");
  await checkAppearances(page, "accounts");
  await openFirst(page, "/app/board-manager");
  await checkAppearances(page, "boards");
  await openFirst(page, "/app/settings");
  await checkAppearances(page, "settings");
  await fixtures().db.update(logins).set({ confirmedAt: null }).where(eq(logins.userId, who.id));
  await page.getByRole("button", { name: "Change email" }).click();
  await page.getByLabel("New email").fill("fern@example.org");
  await page.getByRole("button", { name: "Send link" }).click();
  await expect(page.getByRole("dialog", { name: "Confirm that it's you" })).toBeVisible();
  await checkAppearances(page, "settings-confirm");
  await openFirst(page, CREATOR);
  await checkAppearances(page, "creator");
});

test("R-TRK-01 the progress panel while running and when done, at three widths in both themes", {
  tag: "@screens",
}, async ({ page }) => {
  test.setTimeout(300_000);
  const { who, token } = await signIn(page);
  await connectQuickly(page, token);
  await grant(who.email, 40);
  await openSettled(page, CREATOR);
  await page.getByLabel("Board", { exact: true }).selectOption({ index: 2 });
  await page.getByLabel("Keyword 1", { exact: true }).click();
  await pasteLines(page, KEYWORDS);
  await page.getByRole("button", { name: "Generate Content" }).click();
  await expect(page.getByText(`of ${KEYWORDS.length} finished`)).toBeVisible();
  await checkAppearances(page, "progress");
  await expect(page.getByText("Pin generation complete!")).toBeVisible({ timeout: 90_000 });
  await expect(page.getByText("1 pin(s) failed to generate.")).toBeVisible();
  await checkAppearances(page, "progress-done");
});

test("R-POST-06 Generated Posts and Pin Details at three widths in both themes", { tag: "@screens" }, async ({
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
  await openSettled(page, "/app/generated-posts");
  await select(0);
  await select(1);
  await page.getByRole("button", { name: "Schedule 2 pins" }).click();
  await expect(page.getByRole("listitem").getByText("Published")).toHaveCount(1, { timeout: 60_000 });
  await openSettled(page, "/app/generated-posts");
  for (const at of [0, 1, 2]) await select(at);
  await checkAppearances(page, "posts");
  await openSettled(page, "/app/generated-posts?status=published");
  await page
    .getByRole("button", { name: /^Pin Details/ })
    .first()
    .click();
  await expect(page.getByRole("region", { name: "Publishing receipt" })).toBeVisible();
  await checkAppearances(page, "details");
});
