import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { databaseForFile } from "#tests/support/database.ts";

const database = databaseForFile();

test("a test file gets its own migrated database", async () => {
  const rows = await database().db.execute(
    sql`select count(*)::int as n from information_schema.tables where table_schema = 'public'`,
  );
  expect(rows[0]?.n).toBeGreaterThan(5);
  expect(process.env.TZ).toBe("Asia/Kathmandu");
});
