import { expect } from "@playwright/test";
import { sql } from "drizzle-orm";
import { openDatabase } from "#db/client.ts";
import { healthMinutes } from "#db/schema/health.ts";
import { appearancesFor, checkScreen, setAppearance } from "./support/screens.ts";
import { secondApp } from "./support/second-app.ts";
import { test } from "./support/test.ts";

const MINUTE_MS = 60_000;

const app = secondApp({});

test("R-GEN-04, A-39 the status page shows the current status and the uptime measured from recorded minutes", {
  tag: "@screens",
}, async ({ page }) => {
  // Uses its own app, because the status page is cached for half a minute.
  const { db, close } = openDatabase(app().databaseUrl, 1);
  try {
    // Two hours of minutes without five of them an hour ago, plus ten future ones to cover the test's duration.
    const [row] = await db.execute<{ ms: number }>(sql`select extract(epoch from now())::float8 * 1000 as ms`);
    const now = Math.floor(Number(row?.ms) / MINUTE_MS);
    const ago = (minutes: number) => new Date((now - minutes) * MINUTE_MS);
    const minutes = Array.from({ length: 135 }, (_, n) => n - 10).filter((n) => n < 60 || n > 64);
    await db.delete(healthMinutes);
    await db
      .insert(healthMinutes)
      .values(minutes.map((n) => ({ minute: ago(n) })))
      .onConflictDoNothing();
    await page.goto(`${app().baseUrl}/status`);
    await expect(page.getByRole("listitem").getByText("5 minutes", { exact: true })).toHaveCount(1);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Evertack is up");
    await expect(page.getByText("Working", { exact: true })).toHaveCount(3);
    await expect(page.getByText("Our goal is 99.9% uptime")).toBeVisible();
    const day = page.getByRole("term").filter({ hasText: "Last 24 hours" }).locator("xpath=..");
    await expect(day).toContainText(/9[56](\.\d+)?%/);
    await expect(day).toContainText("measured so far");

    for (const { width, theme } of appearancesFor("status")) {
      await setAppearance(page, width, theme);
      await page.goto(`${app().baseUrl}/status`);
      await checkScreen(page, `status-${width}-${theme}`);
    }
    await page.getByText("Day by day").click();
    await expect(page.locator("figure details").getByRole("listitem").first()).toContainText("%");
  } finally {
    await close();
  }
});
