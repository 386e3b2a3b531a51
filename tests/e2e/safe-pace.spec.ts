import { expect } from "@playwright/test";
import { insertDrafts } from "./support/drafts.ts";
import { connectQuickly, signIn } from "./support/quick.ts";
import { test } from "./support/test.ts";

test("a creator sets a gentle pace, leaves out a rule, and schedules exactly the times shown", async ({ page }) => {
  const { token } = await signIn(page);
  const accountId = (await connectQuickly(page, token)).id;
  await insertDrafts({ accountId }, ["Moss", "Fern", "Ivy"]);
  await page.goto("/app/settings#pace");
  const settings = page.getByRole("form", { name: /^Safe pace of/ });
  await settings.getByRole("radio", { name: "Gentle" }).check({ force: true });
  await settings.getByLabel("Quiet hours until").fill("22:00");
  await settings.getByRole("button", { name: "Save pace" }).click();
  await expect(page.getByText("Pace saved")).toBeVisible();

  await page.goto("/app/generated-posts?status=draft");
  for (const title of ["Moss", "Fern", "Ivy"]) {
    await page.getByRole("checkbox", { name: `Select ${title}`, exact: true }).check();
  }
  const bar = page.getByRole("region", { name: "Schedule the selected pins" });
  await bar.getByRole("radio", { name: "Safe pace" }).check({ force: true });
  await expect(bar.getByText("up to 5 pins a day, at least 2 h apart")).toBeVisible();
  await bar.getByRole("button", { name: "Turn off “Warm-up” for this schedule" }).click();
  await bar.getByLabel(/^Why turn off/).fill("An established account");
  await page.keyboard.press("Enter");
  await expect(bar.getByText("“Warm-up” turned off: An established account")).toBeVisible();
  await expect(bar.getByText("“Warm-up” moved")).toHaveCount(0);
  await bar.getByRole("button", { name: "Show all times" }).click();
  const shown = await page
    .getByRole("region", { name: "Publishing times for the selected pins" })
    .locator("time")
    .evaluateAll((all) => all.map((one) => one.getAttribute("datetime")));
  await bar.getByRole("button", { name: "Schedule 3 pins" }).click();
  await expect(page.getByTestId("notice")).toContainText("Successfully scheduled 3 pins");
  const answer = await page.request.get(`/api/users/pinterest/generated-pins/${accountId}/?status=scheduled`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { posts } = (await answer.json()) as { posts: { scheduled_at: string }[] };
  expect(posts.map(({ scheduled_at }) => scheduled_at).sort()).toEqual(shown.toSorted());
  await page.goto("/app/generated-posts?status=scheduled");
  await page.getByRole("button", { name: "Pin Details: Fern" }).click();
  await expect(page.getByText("“Warm-up” turned off: An established account")).toBeVisible();
});
