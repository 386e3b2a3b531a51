import { expect, type Page } from "@playwright/test";
import { addMs, DAY_MS, formatDateTime } from "#lib/core/time.ts";
import { wallTimeOf } from "#lib/core/zoned-time.ts";
import { arrangeDrafts, openDetails } from "./support/manage.ts";
import { test } from "./support/test.ts";

const ZONE = "Asia/Kathmandu";

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

test("DESIGN 5.4, R-SRV-06 a scheduled pin gets another time by the user's own clock; what has passed is refused", async ({
  page,
}) => {
  const drafts = await arrangeDrafts(page, ["Cabin", "Ridge"]);
  await scheduleAll(page, drafts);
  const before = await drafts.byTitle();
  const details = await openDetails(page, "Cabin");
  await details.getByRole("button", { name: "Reschedule" }).click();
  const dialog = page.getByRole("dialog", { name: "When should it go out?" });
  // Browsers still spell the zone in two ways.
  await expect(dialog.getByText(/^In Asia.Kath?mandu .GMT.5:45.$/)).toBeVisible();
  const shown = wallTimeOf(new Date(before.get("Cabin")?.scheduled_at ?? ""), ZONE);
  await expect(dialog.getByLabel("Date")).toHaveValue(shown.date);
  await expect(dialog.getByLabel("Time")).toHaveValue(shown.time);
  const move = dialog.getByRole("button", { name: "Move it" });
  await expect(move).toBeDisabled();
  await dialog.getByLabel("Date").fill(wallTimeOf(addMs(new Date(), -2 * DAY_MS), ZONE).date);
  await expect(dialog.getByText("This time has passed. Choose one that is still to come.")).toBeVisible();
  await expect(move).toBeDisabled();
  const later = wallTimeOf(addMs(new Date(), 9 * DAY_MS), ZONE).date;
  await dialog.getByLabel("Date").fill(later);
  await dialog.getByLabel("Time").fill("07:30");
  await move.click();
  await expect(dialog).toBeHidden();
  const at = new Date(`${later}T07:30:00+05:45`).toISOString();
  await expect(details.getByText(formatDateTime(at, ZONE))).toBeVisible();
  await expect(details.getByRole("button", { name: "Reschedule" })).toBeFocused();
  const after = await drafts.byTitle();
  expect(after.get("Cabin")?.scheduled_at).toBe(at);
  expect(after.get("Ridge")?.scheduled_at).toBe(before.get("Ridge")?.scheduled_at);
});

test("DESIGN 5.4, D9 a draft is published now once that was confirmed, and once only", async ({ page }) => {
  const drafts = await arrangeDrafts(page, ["Cabin"]);
  const details = await openDetails(page, "Cabin");
  await details.getByRole("button", { name: "Publish now" }).click();
  const ask = page.getByRole("dialog", { name: "Publish this pin now?" });
  await expect(ask.getByText(drafts.username)).toBeVisible();
  await ask.getByRole("button", { name: "Not yet" }).click();
  await expect(ask).toBeHidden();
  await expect(details.getByRole("button", { name: "Publish now" })).toBeFocused();
  expect((await drafts.rows())[0]?.status).toBe("draft");
  await details.getByRole("button", { name: "Publish now" }).click();
  await ask.getByRole("button", { name: "Publish now" }).dblclick();
  await expect(details).toBeHidden();
  await expect(page.getByRole("listitem").getByText("Published")).toBeVisible({ timeout: 60_000 });
  expect((await drafts.rows()).map(({ status }) => status)).toEqual(["published"]);
});

test("DESIGN 5.4, R-POST-07 a draft's board, link and hidden text are edited; a duplicate goes to another board", async ({
  page,
}) => {
  const { byTitle, rows } = await arrangeDrafts(page, ["Cabin"]);
  const before = (await byTitle()).get("Cabin");
  const details = await openDetails(page, "Cabin");
  await details.getByRole("button", { name: "Edit", exact: true }).click();
  await details.getByLabel("Board").selectOption({ index: 1 });
  await details.getByLabel("For people who cannot see it").fill("A cabin among firs");
  await details.getByLabel("Link", { exact: true }).fill("javascript:alert(1)");
  await details.getByRole("button", { name: "Save" }).click();
  await expect(details.getByText("The link must be a full http or https address.")).toBeVisible();
  await details.getByLabel("Link", { exact: true }).fill("https://example.com/cabin");
  await details.getByRole("button", { name: "Save" }).click();
  await expect(details.getByRole("link", { name: "https://example.com/cabin" })).toBeVisible();
  const after = (await byTitle()).get("Cabin");
  expect(after?.board_id).not.toBe(before?.board_id);
  expect(after?.alt_text).toBe("A cabin among firs");
  await details.getByRole("button", { name: "Duplicate" }).click();
  const copy = page.getByRole("dialog", { name: "Duplicate this pin" });
  await copy.getByRole("checkbox").first().check();
  await copy.getByRole("button", { name: "Make 1 draft" }).click();
  await expect.poll(async () => (await rows()).length).toBe(2);
  await expect(details.getByRole("button", { name: "Duplicate" })).toBeFocused();
});

test("R-POST-06 the pin as a feed and its close-up show it, by keyboard", async ({ page }) => {
  const { username } = await arrangeDrafts(page, ["Cabin"]);
  const details = await openDetails(page, "Cabin");
  await details.getByRole("radio", { name: "Picture" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(details.locator(".preview-tile").getByText(username)).toBeVisible();
  await expect(details.locator(".preview-tile").getByText("Cabin", { exact: true })).toBeVisible();
  await page.keyboard.press("ArrowRight");
  const closeUp = details.locator(".preview-close-up");
  await expect(closeUp.getByText("About Cabin")).toBeVisible();
  await expect(closeUp.getByText("No link: a press leads nowhere")).toBeVisible();
});
