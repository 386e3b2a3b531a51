import { sql } from "drizzle-orm";
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import type { Sql } from "postgres";
import { type LentTransaction, lendClient } from "./lend-client.ts";
import { type Codecs, openLink } from "./link.ts";
import { createPool, type PoolUsage } from "./pool.ts";
import * as schema from "./schema/index.ts";

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

type Schema = typeof schema;
export type Database = PostgresJsDatabase<Schema>;
export type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];

/** An open connection pool: the query builder, and how to end it. */
export interface DatabaseHandle {
  db: Database;
  close(): Promise<void>;
  /** How many of its connections are in use now. */
  usage(): PoolUsage;
}

/** Bounds, in milliseconds, that a caller may set for itself. */
export interface DatabaseBounds {
  connectMs?: number;
  waitMs?: number;
  idleMs?: number;
  /** A statement without an answer for so long ends with its connection; 0: it may take as long as it takes. */
  silenceMs?: number;
}

const CLOSE_MS = 5_000;

/** The server gives up a statement a little before we give up the server, and a transaction that we abandoned. */
const greetingFor = (silenceMs: number): string =>
  silenceMs > 0
    ? `set statement_timeout = ${Math.ceil(silenceMs * 0.8)}; set idle_in_transaction_session_timeout = 60000`
    : "select 1";

/**
 * Opens a pool for an address. `max` connections, lent to one statement or transaction at a time; idle ones close
 * after a minute. A statement or transaction ends with its connection and never runs on another (docs/decisions/0007).
 */
export const openDatabase = (url: string, max = 10, bounds: DatabaseBounds = {}): DatabaseHandle => {
  const { connectMs = 10_000, waitMs = 15_000, idleMs = 60_000, silenceMs = 30_000 } = bounds;
  const codecs: Codecs = { parsers: {}, serializers: {} };
  const open = () => openLink({ url, connectMs, silenceMs, greeting: greetingFor(silenceMs), codecs });
  const pool = createPool({ max, waitMs, idleMs, closeMs: CLOSE_MS, open });
  // The query builder uses no more of the driver than this, and writes its codecs into `options`.
  const client = lendClient(pool, codecs) as unknown as Sql;
  return {
    db: drizzle(client, { schema, casing: "snake_case" }),
    close: () => pool.close(),
    usage: () => pool.usage(),
  };
};

/** When a transaction began, by the database's clock; undefined outside of one. */
export const beganAt = (db: Database | Transaction): Date | undefined => {
  // Drizzle types its session without the driver's client, which `lendClient` made.
  const session = db._.session as unknown as { client: Partial<LentTransaction> };
  return session.client.beganAt;
};
