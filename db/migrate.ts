import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import { openDatabase } from "./client.ts";

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
