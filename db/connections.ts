import { sql } from "drizzle-orm";
import type { Database } from "./client.ts";

/** Connections to this database by PostgreSQL's word for their state, over all processes, and how many there may be. */
export interface Connections {
  byState: { state: string; connections: number }[];
  max: number;
}

/** Reads who is connected to this database (for the metrics). */
export const readConnections = async (db: Database): Promise<Connections> => {
  const byState = await db.execute<{ state: string; connections: number }>(sql`
    select coalesce(state, 'unknown') as state, count(*)::int as connections from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' group by 1`);
  const [limit] = await db.execute<{ max: number }>(sql`select current_setting('max_connections')::int as max`);
  return { byState: [...byState], max: limit?.max ?? 0 };
};
