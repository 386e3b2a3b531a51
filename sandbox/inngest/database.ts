import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { reconnectDelayMs } from "./duration.ts";
import { LAYOUT_VERSION, TABLES } from "./schema.ts";

/** Where statements run: the pool, or one connection inside a transaction. With values they are prepared. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<pg.QueryResult<Row>>;
}

/** A connection inside a transaction. */
export type Tx = Queryable;

/** PostgreSQL as the executor uses it: unqualified names are its own tables, `queueSchema` is graphile-worker's. */
export interface Database extends Queryable {
  /** For graphile-worker, which brings its own statements. */
  pool: pg.Pool;
  schema: string;
  queueSchema: string;
  /** A connection of its own, outside the pool, not yet connected. */
  newClient(): pg.Client;
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Does work again for as long as the database is gone. A commit whose answer was lost is done again too, so the
   * work must find out by itself that it was committed after all.
   */
  persist<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const GONE = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "40001", "40P01", "53300"]);

/** Whether a statement failed because the connection did, or because of a conflict that passes. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return (
    GONE.has(code) ||
    code.startsWith("57P") ||
    code.startsWith("08") ||
    /connection (terminated|timeout)/i.test(error.message)
  );
}

/** Opens the pool; connections are made when needed. `schema` is a plain lower-case name. */
export function openDatabase(databaseUrl: string, schema: string, log: (line: string) => void): Database {
  if (!/^[a-z][a-z0-9_]{0,50}$/.test(schema)) throw new Error(`"${schema}" is not a plain lower-case schema name`);
  const settings = { connectionString: databaseUrl, options: `-c search_path=${schema}`, application_name: schema };
  const pool = new pg.Pool({ ...settings, max: 12, idleTimeoutMillis: 30_000 });
  const report = (error: Error) => log(`executor: a database connection broke: ${error.message}`);
  pool.on("error", report);
  pool.on("connect", (client) => client.on("error", report));
  let isClosed = false;

  async function transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      await client.query("begin");
      const result = await work(prepared(client));
      await client.query("commit");
      return result;
    } catch (error) {
      broken = await rollBack(client);
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async function persist<T>(work: () => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures += 1) {
      try {
        return await work();
      } catch (error) {
        if (isClosed || !isPassing(error)) throw error;
        await delay(reconnectDelayMs(failures));
      }
    }
  }

  return {
    pool,
    schema,
    queueSchema: `${schema}_queue`,
    query: prepared(pool).query,
    newClient: () => new pg.Client(settings),
    transaction,
    persist,
    close: async () => {
      isClosed = true;
      await pool.end();
    },
  };
}

/**
 * Creates the tables where they are missing.
 * @throws Error in one sentence when an older or newer layout is found.
 */
export async function createTables(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`${db.schema}:layout`]);
    await tx.query(`create schema if not exists ${db.schema}`);
    await tx.query(TABLES);
    await tx.query("insert into layout select $1 where not exists (select 1 from layout)", [LAYOUT_VERSION]);
    const { rows } = await tx.query<{ version: number }>("select version from layout");
    if (rows[0]?.version === LAYOUT_VERSION) return;
    throw new Error(
      `Schema "${db.schema}" has layout ${rows[0]?.version}, expected ${LAYOUT_VERSION}: drop it and start again`,
    );
  });
}

/** @returns the error when the connection is beyond use and must not go back to the pool. */
async function rollBack(client: pg.ClientBase): Promise<Error | undefined> {
  try {
    await client.query("rollback");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

const statementNames = new Map<string, string>();

/** The same few statements run all day: PostgreSQL plans each once per connection. */
function prepared(client: pg.Pool | pg.ClientBase): Queryable {
  return {
    query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]) {
      if (values === undefined) return client.query<Row>(text);
      const name = statementNames.get(text) ?? `executor_${statementNames.size}`;
      statementNames.set(text, name);
      return client.query<Row>({ name, text, values: [...values] });
    },
  };
}
