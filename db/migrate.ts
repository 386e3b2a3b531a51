import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import { type Database, openDatabase } from "./client.ts";
import journal from "./migrations/meta/_journal.json" with { type: "json" };

export const isMigrated = async (db: Database): Promise<boolean> => {
  const rows = await db.execute<{ count: number }>(
    sql`select count(*)::int as count from drizzle.__drizzle_migrations`,
  );
  return (rows[0]?.count ?? 0) >= journal.entries.length;
};

/** Applies missing migrations. Safe to run repeatedly and concurrently. */
export const migrateDatabase = async (url: string): Promise<void> => {
  // No timeout: building an index, or waiting for another migration, may take long.
  const { db, close } = openDatabase(url, 1, { responseTimeoutMs: 0 });
  try {
    await db.execute(sql`select pg_advisory_lock(hashtext('migrate'))`);
    await migrate(db, { migrationsFolder: fileURLToPath(new URL("./migrations", import.meta.url)) });
  } finally {
    await close();
  }
};
