import { expect, type Locator, type Page } from "@playwright/test";
import { addMs, DAY_MS, HOUR_MS } from "#lib/core/time.ts";
import { connectQuickly, insertPins, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

const now = new Date();
/** 15:00 UTC on a day of next month, so that all days are in one month and ahead. */
const dayOfNextMonth = (day: number): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, day, 15));

const dateOf = (day: number): string => dayOfNextMonth(day).toISOString().slice(0, 10);

const pinAt = (title: string, day: number, hours = 0) => ({
  title,
  status: "scheduled" as const,
  scheduledAt: addMs(dayOfNextMonth(day), hours * HOUR_MS),
  scheduleGeneration: 1,
});

const arrange = async (page: Page): Promise<string> => {
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  await insertPins(id, [
    ...[pinAt("Fern walls", 10), pinAt("Moss paths", 11), pinAt("Bread rolls", 11, 2)],
    {
      title: "Linen curtains",
      status: "published",
      publishedAt: addMs(new Date(), -DAY_MS),
      pinterestPinId: `9${Date.now()}`,
    },
    ...[{ title: "A quiet draft" }, { title: "Another draft" }],
  ]);
  return id;
};

const chip = (page: Page, title: string) => page.locator("[data-slot=calendar-pin]").filter({ hasText: title });
/** In small steps, as a hand moves, and with a drop once the cell shows that it accepts it. */
const drag = async (page: Page, from: Locator, to: Locator): Promise<void> => {
  const [start, end] = [await from.boundingBox(), await to.boundingBox()];
  if (!start || !end) throw new Error("Both must be visible.");
  const [x, y] = [start.x + start.width / 2, start.y + start.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 9, y + 9, { steps: 4 });
  await page.mouse.move(end.x + end.width / 2, end.y + 20, { steps: 30 });
  await expect(async () => {
    await page.mouse.move(end.x + end.width / 2 + 4, end.y + 24, { steps: 2 });
    await page.mouse.move(end.x + end.width / 2, end.y + 20, { steps: 2 });
    expect(await to.getAttribute("data-drop")).toBe("true");
  }).toPass({ timeout: 60_000 });
  await page.mouse.up();
};

const dayCell = (page: Page, day: number) => page.locator(`td[data-date="${dateOf(day)}"]`);

test("drags a pin to another day, undoes it, drags two pins together; drags drafts to a day, and drafts and pins to an hour; keys move one; all of it lasts", async ({
  page,
}) => {
  const id = await arrange(page);
  // Near the edge of the window, the browser scrolls during a drag.
  await page.setViewportSize({ width: 1280, height: 1200 });
  await page.goto(`/app/calendar?account=${id}&date=${dateOf(10)}`);
  await expect(page.locator("[inert]")).toHaveCount(0);
  await expect(dayCell(page, 10).getByText("Fern walls")).toBeVisible();

  await drag(page, chip(page, "Fern walls").getByText("Fern walls"), dayCell(page, 17));
  await expect(dayCell(page, 17).getByText("Fern walls")).toBeVisible();
  await expect(page.getByText(/^Pin moved to/)).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(dayCell(page, 10).getByText("Fern walls")).toBeVisible();

  const tray = page.locator("[data-slot=tray-draft]");
  await drag(page, tray.filter({ hasText: "A quiet draft" }), dayCell(page, 18));
  await expect(dayCell(page, 18).getByText("A quiet draft")).toBeVisible();

  for (const title of ["Moss paths", "Bread rolls"]) {
    await chip(page, title)
      .getByText(title)
      .click({ modifiers: ["ControlOrMeta"] });
  }
  await expect(page.getByText("2 selected")).toBeVisible();
  await drag(page, chip(page, "Bread rolls").getByText("Bread rolls"), dayCell(page, 20));
  for (const title of ["Moss paths", "Bread rolls"]) await expect(dayCell(page, 20).getByText(title)).toBeVisible();
  await expect(page.getByText(/^2 pins moved to/)).toBeVisible();

  await page.reload();
  await expect(dayCell(page, 18).getByText("A quiet draft")).toBeVisible();
  await expect(dayCell(page, 20).locator("[data-slot=calendar-pin]")).toHaveCount(2);
  await expect(tray).toHaveCount(1);

  await page.setViewportSize({ width: 1280, height: 1800 });
  await page.goto(`/app/calendar?account=${id}&view=week&date=${dateOf(10)}`);
  await expect(page.locator("[inert]")).toHaveCount(0);
  const at = (hour: number) => page.locator(`td[data-date="${dateOf(10)}"][data-hour="${hour}"]`);
  await expect(at(20).getByText("Fern walls")).toBeVisible();
  await drag(page, tray.filter({ hasText: "Another draft" }), at(16));
  const toast = (time: string) => page.locator("[data-slot=toast]").filter({ hasText: time });
  await expect(at(16).getByText("4:00 PM")).toBeVisible();
  await expect(toast("4:00 PM")).toBeVisible();
  await drag(page, chip(page, "Fern walls").getByText("Fern walls"), at(13));
  await expect(at(13).getByText("1:00 PM")).toBeVisible();
  await expect(toast("1:00 PM")).toBeVisible();

  await page.getByRole("button", { name: /^Fern walls/ }).focus();
  await page.keyboard.press("Space");
  await expect(page.getByRole("application", { name: "Moving pins" })).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(at(11).getByText("Fern walls")).toBeVisible();
  await expect(toast("11:00 AM")).toBeVisible();
  await page.reload();
  await expect(at(11).getByText("11:00 AM")).toBeVisible();
  await expect(at(16).getByText("Another draft")).toBeVisible();
  await expect(tray).toHaveCount(0);
});

test("on a phone, slots are set up, suggested, and filled with a draft after its time was shown", async ({ page }) => {
  const id = await arrange(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/app/calendar?account=${id}&date=${dateOf(10)}`);
  await expect(page.locator("[inert]")).toHaveCount(0);
  await page.getByRole("link", { name: "Set up posting slots" }).click();
  await page.getByRole("button", { name: "Suggest times" }).click();
  await expect(page.getByText(/^Your results don't show a clear best time yet/)).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByLabel("Time", { exact: true }).fill("19:45");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("button", { name: "Save slots" }).click();
  await expect(page.getByText("Slots saved")).toBeVisible();
  await page.goto(`/app/calendar?account=${id}&date=${dateOf(10)}`);
  for (const title of ["A quiet draft", "Another draft"]) await page.getByRole("checkbox", { name: title }).check();
  await page.getByRole("button", { name: "Fill free slots" }).click();
  await expect(page.getByRole("dialog").getByText(/7:45 PM/)).toHaveCount(2);
  await page.getByRole("button", { name: "Schedule 2 pins" }).click();
  await expect(page.getByText(/^2 pins scheduled for .* 7:45 PM and later/)).toBeVisible();

  await page.reload();
  await expect(page.getByText(/^Your drafts appear here/)).toBeVisible();
});
