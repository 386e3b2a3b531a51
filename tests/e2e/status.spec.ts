import { expect } from "@playwright/test";
import { sql } from "drizzle-orm";
import { openDatabase } from "#db/client.ts";
import { healthMinutes } from "#db/schema/health.ts";
import { dress, lookAt, looksFor } from "./support/looks.ts";
import { secondApp } from "./support/second-app.ts";
import { test } from "./support/test.ts";

const MINUTE_MS = 60_000;

const app = secondApp({});

test("R-GEN-04, A-39 the status page tells what works and what was measured, from the minutes that are recorded", {
  tag: "@screens",
}, async ({ page }) => {
  // Of its own: what the shared product has shown a moment ago it shows for half a minute.
  const { db, close } = openDatabase(app().databaseUrl, 1);
  try {
    // Two hours of records but for five minutes an hour ago, and the time that this test may take.
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
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Evertack works");
    await expect(page.getByText("Works", { exact: true })).toHaveCount(3);
    await expect(page.getByText("We aim for 99.9%")).toBeVisible();
    const day = page.getByRole("term").filter({ hasText: "Last 24 hours" }).locator("xpath=..");
    await expect(day).toContainText(/9[56](\.\d+)?%/);
    await expect(day).toContainText("measured so far");

    for (const { width, theme } of looksFor("status")) {
      await dress(page, width, theme);
      await page.goto(`${app().baseUrl}/status`);
      await lookAt(page, `status-${width}-${theme}`);
    }
    await page.getByText("Day by day").click();
    await expect(page.locator("figure details").getByRole("listitem").first()).toContainText("%");
  } finally {
    await close();
  }
});
