import { expect, type Page } from "@playwright/test";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { insertDrafts } from "#tests/e2e/support/drafts.ts";
import { connectQuickly, insertPins, signIn } from "#tests/e2e/support/quick.ts";
import { checkEachAppearance } from "#tests/e2e/support/screens.ts";
import { test } from "#tests/e2e/support/test.ts";

test.describe.configure({ mode: "parallel" });

const PHONE = 700;
const now = new Date();
/** 5:00 UTC on the tenth of next month, the morning in the tests' zone: all days of that month are ahead. */
const TENTH = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 10, 5));
const DATE = TENTH.toISOString().slice(0, 10);

const scheduled = (title: string, at: Date) => ({
  ...{ title, status: "scheduled" as const, scheduledAt: at, scheduleGeneration: 1 },
});

const arrange = async (page: Page): Promise<string> => {
  const { token } = await signIn(page);
  const { id } = await connectQuickly(page, token);
  return id;
};

const open = async (page: Page, path: string): Promise<void> => {
  await page.goto(path);
  await expect(page.locator("[inert]")).toHaveCount(0);
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
};

const isPhone = (page: Page): boolean => (page.viewportSize()?.width ?? 0) < PHONE;

const VIEWS = [
  { name: "calendar-month", path: (id: string) => `/app/calendar?account=${id}&date=${DATE}` },
  { name: "calendar-week", path: (id: string) => `/app/calendar?account=${id}&view=week&date=${DATE}` },
  { name: "calendar-list", path: (id: string) => `/app/calendar?account=${id}&view=list&date=${DATE}` },
  { name: "calendar-slots", path: (id: string) => `/app/calendar/slots?account=${id}` },
] as const;

test("the home strip names the next pin, drafts, failures, and empty days; month, week, list, and slots", {
  tag: "@screens",
}, async ({ page }) => {
  test.setTimeout(600_000);
  const id = await arrange(page);
  await insertPins(id, [
    ...[10, 11, 11].map((day, at) =>
      scheduled(`Pin ${at} of next month`, addMs(TENTH, (day - 10) * DAY_MS + at * HOUR_MS)),
    ),
    {
      ...{ title: "Linen curtains", status: "published" as const },
      ...{ publishedAt: addMs(now, -DAY_MS), pinterestPinId: `9${Date.now()}` },
    },
    scheduled("Moss paths", addMs(now, 20 * HOUR_MS)),
    scheduled("Bread rolls", addMs(now, 3 * DAY_MS)),
    { title: "Fern walls", status: "failed", reason: "The board was deleted on Pinterest." },
    ...[{ title: "A quiet draft" }, { title: "Another draft" }],
  ]);
  await checkEachAppearance(page, "home-facts", async () => {
    await open(page, "/app");
    await expect(page.getByText("Moss paths").first()).toBeVisible();
  });
  for (const { name, path } of VIEWS) await checkEachAppearance(page, name, () => open(page, path(id)));
});

test("a day's list, the dialog for a time, and the bar of a selection", { tag: "@screens" }, async ({ page }) => {
  test.setTimeout(240_000);
  const id = await arrange(page);
  const hours = [0, 1, 2, 3, 4];
  await insertPins(
    id,
    hours.map((hour) => scheduled(`Pin ${hour} of a crowded day`, addMs(TENTH, hour * HOUR_MS))),
  );
  const month = `/app/calendar?account=${id}&date=${DATE}`;
  const list = `${month}&view=list`;
  const day = page.locator(`td[data-date="${DATE}"]`);
  await checkEachAppearance(page, "calendar-day", async () => {
    await open(page, month);
    await day.getByRole("button", { name: isPhone(page) ? /5 pins$/ : /^\+\d more/ }).click();
    await expect(page.getByRole("dialog").getByRole("checkbox")).toHaveCount(hours.length);
  });
  await checkEachAppearance(page, "calendar-move", async () => {
    await open(page, list);
    await page.getByRole("button", { name: "Actions for Pin 0 of a crowded day" }).click();
    await page.getByRole("menuitem", { name: "Move to…" }).click();
    await expect(page.getByRole("dialog").getByLabel("Time", { exact: true })).toBeVisible();
  });
  await checkEachAppearance(page, "calendar-selection", async () => {
    await open(page, list);
    for (const hour of [1, 2])
      await page.getByRole("checkbox", { name: `Select Pin ${hour} of a crowded day` }).check();
    await expect(page.getByText("2 selected")).toBeVisible();
  });
});

test("free slots and the safe pace say where a plan is too fast", { tag: "@screens" }, async ({ page }) => {
  test.setTimeout(240_000);
  const id = await arrange(page);
  const titles = ["Moss", "Fern", "Ivy"];
  await insertDrafts({ accountId: id }, titles);
  await open(page, `/app/calendar/slots?account=${id}`);
  for (const minute of ["18:00", "18:15"]) {
    await page.getByLabel("Time", { exact: true }).fill(minute);
    await page.getByRole("button", { name: "Add", exact: true }).click();
  }
  await page.getByRole("button", { name: "Save slots" }).click();
  await expect(page.getByText("Slots saved")).toBeVisible();
  await checkEachAppearance(page, "calendar-fill", async () => {
    await open(page, `/app/calendar?account=${id}&date=${addMs(now, MINUTE_MS).toISOString().slice(0, 10)}`);
    for (const title of titles) await page.getByRole("checkbox", { name: title, exact: true }).check();
    await page.getByRole("button", { name: "Fill free slots" }).click();
    await expect(
      page
        .getByRole("dialog")
        .getByText(/^Doesn't follow your safe pace/)
        .first(),
    ).toBeVisible();
  });
  await checkEachAppearance(page, "schedule-pace", async () => {
    await open(page, "/app/generated-posts?status=draft");
    for (const title of titles) await page.getByRole("checkbox", { name: `Select ${title}`, exact: true }).check();
    const bar = page.getByRole("region", { name: "Schedule the selected pins" });
    await bar.getByRole("radio", { name: "Safe pace" }).check({ force: true });
    await expect(bar.locator("[data-slot=plan-summary]")).toBeVisible();
    await bar.getByRole("button", { name: "Show all times" }).click();
    const times = page.getByRole("region", { name: "Publishing times for the selected pins" });
    await expect(times.locator("time")).toHaveCount(titles.length);
  });
});
