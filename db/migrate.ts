import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import { type Database, openDatabase } from "./client.ts";
import journal from "./migrations/meta/_journal.json" with { type: "json" };

/** Whether a database has seen every migration of this source (part of readiness). */
export const isMigrated = async (db: Database): Promise<boolean> => {
  const rows = await db.execute<{ count: number }>(
    sql`select count(*)::int as count from drizzle.__drizzle_migrations`,
  );
  return (rows[0]?.count ?? 0) >= journal.entries.length;
};

/** Brings a database to the newest schema; running it twice, or two at once, does no harm. */
export const migrateDatabase = async (url: string): Promise<void> => {
  // Building an index may take its time, and so may waiting for another who migrates.
  const { db, close } = openDatabase(url, 1, { silenceMs: 0 });
  try {
    await db.execute(sql`select pg_advisory_lock(hashtext('migrate'))`);
    await migrate(db, { migrationsFolder: fileURLToPath(new URL("./migrations", import.meta.url)) });
  } finally {
    await close();
  }
};
