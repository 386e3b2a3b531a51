import { expect, type Page } from "@playwright/test";
import { insertDrafts } from "./support/drafts.ts";
import { connectQuickly, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const arrange = async (page: Page, count: number) => {
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  // The first row is the newest pin and is shown first.
  const titles = Array.from({ length: count }, (_, n) => `Draft ${n + 1}`);
  await insertDrafts({ accountId: id }, titles);
  return { id, token };
};

const open = async (page: Page, accountId: string) => {
  await page.goto(`/app/generated-posts/review?account=${accountId}`);
  await expect(page.locator("[inert]")).toHaveCount(0);
};

const expectPosition = (page: Page, words: string) =>
  expect(page.locator("[data-slot=review-progress]")).toContainText(words);

/** Presses a button by keyboard once it is no longer busy saving choices. */
const pressKey = async (page: Page, name: string) => {
  const button = page.getByRole("button", { name, exact: true });
  await expect(button).not.toHaveAttribute("aria-busy");
  await button.press("Enter");
};

/** The reviews on the server, by title. */
const recorded = async (page: Page, { id, token }: { id: string; token: string }) => {
  const answer = await page.request.get(`/api/users/pinterest/generated-pins/${id}/?status=draft`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { posts } = (await answer.json()) as { posts: { title: string; review: string | null }[] };
  return new Map(posts.map(({ title, review }) => [title, review]));
};

test("reviews thirty drafts by keyboard, keeps reviews after a reload, and schedules the approved ones", async ({
  page,
}) => {
  const account = await arrange(page, 30);
  await open(page, account.id);
  await expectPosition(page, "1 of 30");
  const card = page.locator("[data-slot=review-card]");
  await expect(page.getByRole("heading", { name: "Draft 1", exact: true })).toBeVisible();
  await page.keyboard.press("j");
  await expectPosition(page, "2 of 30");
  await page.keyboard.press("k");
  await expectPosition(page, "1 of 30");
  await page.keyboard.press("x");
  await expectPosition(page, "2 of 30");
  await page.keyboard.press("u");
  await expectPosition(page, "1 of 30");
  await expect(card.getByText("Rejected")).toBeHidden();
  await page.keyboard.press("e");
  await page.getByLabel("Title", { exact: true }).fill("Draft 1, mended");
  await page.getByLabel("Title", { exact: true }).press("a");
  await expect(page.getByLabel("Title", { exact: true })).toHaveValue("Draft 1, mendeda");
  await pressKey(page, "Save");
  await expect(page.getByRole("heading", { name: "Draft 1, mendeda" })).toBeVisible();
  for (let at = 1; at <= 12; at += 1) {
    await expectPosition(page, `${at} of 30`);
    await page.keyboard.press(at % 4 === 0 ? "x" : "a");
  }
  await expectPosition(page, "13 of 30");
  await expect.poll(async () => [...(await recorded(page, account)).values()].filter(Boolean).length).toBe(12);
  await page.reload();
  await expect(page.locator("[inert]")).toHaveCount(0);
  await expectPosition(page, "13 of 30");
  for (let at = 13; at <= 30; at += 1) {
    await expectPosition(page, `${at} of 30`);
    await page.keyboard.press(at % 4 === 0 ? "x" : "a");
  }
  await expect(page.getByRole("heading", { name: "All reviewed" })).toBeFocused();
  await expect(page.getByText("23 drafts approved, 7 drafts rejected.")).toBeVisible();
  const reviewsOf = await recorded(page, account);
  expect(reviewsOf.get("Draft 1, mendeda")).toBe("approved");
  expect(reviewsOf.get("Draft 4")).toBe("rejected");
  await pressKey(page, "Delete 7 drafts");
  await expect(page.getByText("23 drafts approved, 0 drafts rejected.")).toBeVisible();
  await page.getByRole("button", { name: "Undo", exact: true }).press("Enter");
  await expect(page.getByText("23 drafts approved, 7 drafts rejected.")).toBeVisible();
  await pressKey(page, "Schedule 23 drafts");
  await expect(page.getByText("23 selected")).toBeVisible();
  await expect(page.getByRole("checkbox", { checked: true })).toHaveCount(23);
  expect(new URL(page.url()).searchParams.get("choose")).toBeNull();
  const bar = page.getByRole("region", { name: "Schedule the selected pins" });
  await expect(bar).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(bar.getByRole("button", { name: "Clear" })).toBeFocused();
});
