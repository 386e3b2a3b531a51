import { expect, type Page } from "@playwright/test";
import postgres from "postgres";

export const EVENTS = "/api/users/events/";

/** Waits until the page is connected to the live stream. */
export const untilLive = (page: Page): Promise<void> =>
  expect(page.getByTestId("live")).toHaveAttribute("data-live", "open", { timeout: 30_000 });

/** Runs statements on the app's database, as another process would. */
export const withDatabase = async <T>(run: (sql: postgres.Sql) => Promise<T>): Promise<T> => {
  const url = process.env.E2E_DATABASE_URL;
  if (!url) throw new Error("E2E_DATABASE_URL names the running app's database");
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await run(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
};
