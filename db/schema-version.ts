import { sql } from "drizzle-orm";
import type { Database } from "./client.ts";
import journal from "./migrations/meta/_journal.json" with { type: "json" };

/** Whether a database has seen every migration of this source (part of readiness). */
export const isMigrated = async (db: Database): Promise<boolean> => {
  const rows = await db.execute<{ count: number }>(
    sql`select count(*)::int as count from drizzle.__drizzle_migrations`,
  );
  return (rows[0]?.count ?? 0) >= journal.entries.length;
};
