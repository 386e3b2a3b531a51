import { sql } from "drizzle-orm";
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import type { Sql } from "postgres";
import { type Codecs, openConnection } from "./connection.ts";
import { createPool, type PoolUsage } from "./pool.ts";
import { createPoolClient, type PooledTransaction } from "./pool-client.ts";
import * as schema from "./schema/index.ts";

export interface Connections {
  byState: { state: string; connections: number }[];
  max: number;
}

export const readConnections = async (db: Database): Promise<Connections> => {
  const byState = await db.execute<{ state: string; connections: number }>(sql`
    select coalesce(state, 'unknown') as state, count(*)::int as connections from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' group by 1`);
  const [limit] = await db.execute<{ max: number }>(sql`select current_setting('max_connections')::int as max`);
  return { byState: [...byState], max: limit?.max ?? 0 };
};

type Schema = typeof schema;
export type Database = PostgresJsDatabase<Schema>;
export type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];

export interface DatabaseHandle {
  db: Database;
  close(): Promise<void>;
  usage(): PoolUsage;
}

export interface DatabaseBounds {
  connectMs?: number;
  waitMs?: number;
  idleMs?: number;
  /** A statement without a response for this long fails and its connection is closed; 0: no limit. */
  responseTimeoutMs?: number;
}

const CLOSE_MS = 5_000;

/** PostgreSQL cancels statements slightly before we close their connection, and ends abandoned transactions. */
const setupSqlFor = (responseTimeoutMs: number): string =>
  responseTimeoutMs > 0
    ? `set statement_timeout = ${Math.ceil(responseTimeoutMs * 0.8)}; set idle_in_transaction_session_timeout = 60000`
    : "select 1";

/** Opens a pool of `max` connections; work that loses its connection fails and never moves (docs/decisions/0007). */
export const openDatabase = (url: string, max = 10, bounds: DatabaseBounds = {}): DatabaseHandle => {
  const { connectMs = 10_000, waitMs = 15_000, idleMs = 60_000, responseTimeoutMs = 30_000 } = bounds;
  const codecs: Codecs = { parsers: {}, serializers: {} };
  const open = () =>
    openConnection({ url, connectMs, responseTimeoutMs, setupSql: setupSqlFor(responseTimeoutMs), codecs });
  const pool = createPool({ max, waitMs, idleMs, closeMs: CLOSE_MS, open });
  // The query builder uses only this much of the driver, and writes its codecs into `options`.
  const client = createPoolClient(pool, codecs) as unknown as Sql;
  return {
    db: drizzle(client, { schema, casing: "snake_case" }),
    close: () => pool.close(),
    usage: () => pool.usage(),
  };
};

/** What runs the statements of a database or transaction. */
export const clientOf = (db: Database | Transaction): Partial<PooledTransaction> => {
  // Drizzle's types do not know the client that `createPoolClient` made.
  const session = db._.session as unknown as { client: Partial<PooledTransaction> };
  return session.client;
};

/** When a transaction began, by the database's clock; undefined outside of one. */
export const beganAt = (db: Database | Transaction): Date | undefined => clientOf(db).beganAt;
