import { expect, type Locator, type Page } from "@playwright/test";
import { UNDO_MS } from "#components/ui/toast-times.ts";
import { begin, many, number, pictures, rows } from "./support/bulk.ts";
import { makeDrafts } from "./support/drafts.ts";
import { holdTimers } from "./support/hold-timers.ts";
import { dress } from "./support/looks.ts";
import { arrangeDrafts, choose, openDetails } from "./support/manage.ts";
import { connectQuickly, signIn } from "./support/quick.ts";
import { afterEffects, test } from "./support/test.ts";

const title = (place: Page | Locator) => place.getByLabel("Title", { exact: true });
const asks = (page: Page) => page.getByRole("dialog", { name: "Discard your changes?" });
const answer = (page: Page, name: string) => asks(page).getByRole("button", { name }).click();

/** The edges of something, once it is there. */
const boxOf = async (one: Locator) => {
  await expect(one).toBeVisible();
  const box = await one.boundingBox();
  if (!box) throw new Error("It has no box.");
  return { ...box, right: box.x + box.width, bottom: box.y + box.height };
};

const openReview = async (page: Page, titles: readonly string[]) => {
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  await makeDrafts(page, { token, accountId: id }, titles);
  await page.goto(`/app/generated-posts/review?account=${id}`);
  await expect(page.locator("[inert]")).toHaveCount(0);
};

test("R-POST-07 words typed into Pin Details are given up only by who says so, and the focus stays with the work", async ({
  page,
}) => {
  await arrangeDrafts(page, ["Cabin"]);
  const details = await openDetails(page, "Cabin");
  const edit = details.getByRole("button", { name: "Edit", exact: true });
  await edit.press("Enter");
  await expect(title(details)).toBeFocused();
  await details.getByRole("button", { name: "Cancel" }).press("Enter");
  await expect(edit).toBeFocused();
  await edit.press("Enter");
  await title(details).fill("Typed with care");
  await page.keyboard.press("Escape");
  await expect(asks(page)).toBeVisible();
  await afterEffects(page);
  await page.keyboard.press("Escape");
  await expect(asks(page)).toBeHidden();
  await expect(title(details)).toBeFocused();
  await expect(title(details)).toHaveValue("Typed with care");
  await page.mouse.click(5, 500);
  await answer(page, "Keep editing");
  await expect(title(details)).toHaveValue("Typed with care");
  await details.getByRole("button", { name: "Close" }).click();
  await answer(page, "Discard");
  await expect(details).toBeHidden();
  await expect(page.getByRole("button", { name: "Pin Details: Cabin", exact: true })).toBeFocused();
  await openDetails(page, "Cabin");
  await edit.click();
  await expect(title(details)).toHaveValue("Cabin");
  await page.keyboard.press("Escape");
  await expect(details).toBeHidden();
});

test("D9 the review's form takes the focus, Escape leaves it, and typed words are asked about", async ({ page }) => {
  await openReview(page, ["Draft 1", "Draft 2"]);
  const edit = page.getByRole("button", { name: "Edit", exact: true });
  await page.keyboard.press("e");
  await expect(title(page)).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(edit).toBeFocused();
  await page.keyboard.press("e");
  await title(page).fill("Typed with care");
  await page.keyboard.press("Escape");
  await answer(page, "Keep editing");
  await expect(title(page)).toHaveValue("Typed with care");
  await page.keyboard.press("Escape");
  await answer(page, "Discard");
  await expect(edit).toBeFocused();
  await expect(page.getByRole("heading", { name: "Draft 1", exact: true })).toBeVisible();
  await page.keyboard.press("x");
  await expect(page.locator(".review-progress")).toContainText("2 of 2");
  await page.getByRole("button", { name: "Undo the last choice" }).press("Enter");
  await expect(page.getByRole("button", { name: "Approve" })).toBeFocused();
});

test("D9 on a tablet the review's buttons stand on one line below picture and words", async ({ page }) => {
  await openReview(page, ["Draft 1"]);
  await dress(page, 768, "light");
  const lines = new Set<number>();
  for (const name of ["Previous draft", "Reject", "Approve", "Next draft", "Edit", "Undo the last choice"]) {
    const { y, height } = await boxOf(page.getByRole("button", { name, exact: true }));
    lines.add(Math.round(y + height / 2));
  }
  expect(lines.size).toBe(1);
  const words = await boxOf(page.locator(".review-facts"));
  expect(words.width).toBeGreaterThan(300);
});

test("R-BULK-02, R-BULK-05 removing pins keeps the focus among them, on a phone within the margins", async ({
  page,
}) => {
  await holdTimers(page, UNDO_MS);
  await begin(page);
  await dress(page, 390, "light");
  await many(page).setInputFiles(await pictures(4));
  await expect(rows(page)).toHaveCount(4);
  for (const row of await rows(page).all()) expect((await boxOf(row)).right).toBeLessThanOrEqual(370);
  expect((await boxOf(page.locator(".bulk-head"))).right).toBeLessThanOrEqual(370);
  const remove = (n: number) => page.getByRole("button", { name: `Remove pin ${n}`, exact: true });
  await remove(2).press("Enter");
  await expect(rows(page)).toHaveCount(3);
  await expect(remove(2)).toBeFocused();
  await remove(3).press("Enter");
  await expect(rows(page)).toHaveCount(2);
  await expect(remove(2)).toBeFocused();
  await page.getByRole("button", { name: "Undo", exact: true }).last().press("Enter");
  await expect(number(page)).toHaveValue("3");
  // It goes back to the button that had it, whichever number that pin has by now.
  await expect(page.locator(".bulk-remove:focus")).toHaveCount(1);
});

test("R-FEAT-02 clearing a search that found nothing leads back to the field, showing all to the tab", async ({
  page,
}) => {
  await arrangeDrafts(page, ["Cabin", "Linen"]);
  const search = page.getByRole("searchbox", { name: "Search pins" });
  const [field, order] = [await boxOf(search), await boxOf(page.getByLabel("Order"))];
  expect(Math.abs(field.bottom - order.bottom)).toBeLessThanOrEqual(1);
  await search.fill("nowhere");
  await page.getByRole("button", { name: "Clear the search" }).press("Enter");
  await expect(page.locator(".post")).toHaveCount(2);
  await expect(search).toBeFocused();
  await page.getByRole("tab", { name: /^Failed/ }).click();
  await search.fill("Cabin");
  await page.getByRole("button", { name: "Show 1 in all pins" }).press("Enter");
  await expect(page.getByRole("tab", { name: /^All/ })).toBeFocused();
});

test("R-SCH-01 on a phone the schedule bar is in view from the first choice on, and leaves the focus to the list", async ({
  page,
}) => {
  await holdTimers(page, UNDO_MS);
  await arrangeDrafts(page, ["Cabin", "Linen"]);
  await dress(page, 390, "light");
  await choose(page, "Cabin");
  await page.evaluate(() => window.scrollTo(0, 0));
  const send = page.getByRole("button", { name: "Schedule 1 pin" });
  await expect.poll(async () => (await boxOf(send)).bottom).toBeLessThanOrEqual(844);
  await page.getByRole("button", { name: "Clear", exact: true }).press("Enter");
  await expect(page.getByRole("tab", { name: /^All/ })).toBeFocused();
  await page.getByRole("button", { name: "Undo", exact: true }).press("Enter");
  await expect(page.getByRole("tab", { name: /^All/ })).toBeFocused();
  await send.press("Enter");
  await expect(page.getByRole("tab", { name: /^All/ })).toBeFocused();
});

test("R-NAV-04 colours that were not saved wait until the Brand Kit is opened again, and the page asks before it goes", async ({
  page,
}) => {
  const { token } = await signIn(page);
  await connectQuickly(page, token);
  await page.goto("/app/brand");
  const plum = page.getByRole("button", { name: "Plum" });
  await plum.click();
  await expect(plum).toHaveAttribute("aria-pressed", "true");
  await page.getByRole("link", { name: "Settings" }).first().click();
  await expect(page.getByRole("heading", { level: 1, name: "Settings" })).toBeVisible();
  await page.getByRole("link", { name: "Brand Kit" }).first().click();
  await expect(plum).toHaveAttribute("aria-pressed", "true");
  await afterEffects(page);
  const asked = page.waitForEvent("dialog");
  const leaving = page.reload();
  const dialog = await asked;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.accept();
  await leaving;
  await expect(plum).toHaveAttribute("aria-pressed", "false");
});

test("R-ERR-08 boards that could not be read are asked for again without losing the form", async ({ page }) => {
  const { token } = await signIn(page);
  await connectQuickly(page, token);
  await page.route("**/api/users/pinterest/boards/**", (route) => route.fulfill({ status: 500, body: "" }));
  await page.goto("/app/create-pin");
  await page.getByLabel("Title of pin 1", { exact: true }).fill("Typed with care");
  const again = page.getByRole("button", { name: "Try again" });
  await expect(again).toBeVisible();
  await page.unroute("**/api/users/pinterest/boards/**");
  await again.press("Enter");
  await page.getByLabel("Board of pin 1", { exact: true }).selectOption({ index: 1 });
  await expect(again).toBeHidden();
  await expect(page.getByLabel("Title of pin 1", { exact: true })).toHaveValue("Typed with care");
});
