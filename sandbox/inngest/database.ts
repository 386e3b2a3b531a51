import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { PROCEDURES, SCHEMA_VERSION, TABLES } from "./schema.ts";
import { reconnectDelayMs } from "./time.ts";

/** Runs statements on the pool, or on the connection of a transaction. With values, they are prepared. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<pg.QueryResult<Row>>;
}

export type Tx = Queryable;

/** PostgreSQL with the executor's schema as search path. */
export interface Database extends Queryable {
  schema: string;
  /** A separate, unconnected client with a short statement timeout. */
  newClient(): pg.Client;
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Repeats work while the database is unreachable. It must be idempotent: the reply to a commit may be lost. */
  retry<T>(work: () => Promise<T>): Promise<T>;
  /** Makes `retry` give up with the last error it met. */
  stopRetrying(): void;
  close(): Promise<void>;
}

/** `schema` is a plain lower-case name. */
interface DatabaseSettings {
  databaseUrl: string;
  schema: string;
  /** A statement that takes longer is canceled, and its connection closed. */
  statementTimeoutMs?: number | undefined;
  log(line: string): void;
}

const STATEMENT_TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 5_000;
const HEARTBEAT_TIMEOUT_MS = 2_500;
/** Lets the server, too, notice a dead client within seconds and release its locks. */
const SERVER_SETTINGS = [
  ...["tcp_keepalives_idle=3", "tcp_keepalives_interval=2", "tcp_keepalives_count=3", "tcp_user_timeout=9000"],
  "idle_in_transaction_session_timeout=5000",
];

const TRANSIENT_CODES = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOENT", "EHOSTUNREACH"],
  ...["25P03", "40001", "40P01"],
]);

/** Whether a statement failed because of its connection, or because of a temporary shortage or conflict. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return (
    TRANSIENT_CODES.has(code) ||
    /^(57|08|53|58)/.test(code) ||
    /connection (terminated|timeout)|timeout exceeded when trying to connect|query read timeout/i.test(error.message)
  );
}

export function openDatabase({ databaseUrl, schema, statementTimeoutMs, log }: DatabaseSettings): Database {
  if (!/^[a-z][a-z0-9_]{0,50}$/.test(schema)) throw new Error(`"${schema}" is not a plain lower-case schema name`);
  const timeoutMs = statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  const options = [`search_path=${schema}`, `statement_timeout=${timeoutMs}`, ...SERVER_SETTINGS];
  const settings = {
    ...{ connectionString: databaseUrl, application_name: schema, keepAlive: true },
    options: options.map((setting) => `-c ${setting}`).join(" "),
    // The server's own timeout should fire first, because it leaves the connection usable.
    ...{ connectionTimeoutMillis: CONNECT_TIMEOUT_MS, query_timeout: timeoutMs + 500 },
  };
  const pool = new pg.Pool({ ...settings, max: 12, idleTimeoutMillis: 30_000 });
  const report = (error: Error) => log(`executor: lost a database connection: ${error.message}`);
  pool.on("error", report);
  pool.on("connect", (client) => client.on("error", report));
  let isRetryStopped = false;

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

  return {
    schema,
    query: prepared(pool).query,
    newClient: () => new pg.Client({ ...settings, query_timeout: HEARTBEAT_TIMEOUT_MS }),
    transaction,
    retry: (work) => retryTransient(work, () => isRetryStopped),
    stopRetrying: () => {
      isRetryStopped = true;
    },
    close: async () => {
      isRetryStopped = true;
      await pool.end();
    },
  };
}

async function retryTransient<T>(work: () => Promise<T>, isRetryStopped: () => boolean): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (isRetryStopped() || !isTransient(error)) throw error;
      await delay(reconnectDelayMs(failures));
    }
  }
}

/** Creates tables and routines, and replaces those of an older version. @throws Error if they are of a newer one. */
export async function createTables(db: Database, log: (line: string) => void): Promise<void> {
  const { schema } = db;
  await db.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`${schema}:layout`]);
    const found = await readSchemaVersion(tx, schema);
    if (found > SCHEMA_VERSION) {
      throw new Error(
        `Schema "${schema}" has version ${found}, but this executor supports ${SCHEMA_VERSION}. Update the executor.`,
      );
    }
    if (found < SCHEMA_VERSION) {
      log(
        `executor: replaced schema "${schema}", version ${found}, with version ${SCHEMA_VERSION}. Its runs were deleted.`,
      );
      await tx.query(`drop schema ${schema} cascade`);
      await tx.query(`drop schema if exists ${schema}_queue cascade`);
    }
    await tx.query(`create schema if not exists ${schema}`);
    await tx.query(TABLES);
    await tx.query(PROCEDURES);
    await tx.query("insert into layout select $1 where not exists (select 1 from layout)", [SCHEMA_VERSION]);
  });
}

/** Returns the version of the existing tables, or the newest if there are none. */
async function readSchemaVersion(tx: Tx, schema: string): Promise<number> {
  const { rows } = await tx.query<{ exists: boolean }>(`select to_regclass($1) is not null as "exists"`, [
    `${schema}.layout`,
  ]);
  if (rows[0]?.exists !== true) return SCHEMA_VERSION;
  const layout = await tx.query<{ version: number }>("select version from layout");
  return layout.rows[0]?.version ?? SCHEMA_VERSION;
}

/** Returns an error if the connection is unusable and must not go back to the pool. */
async function rollBack(client: pg.ClientBase): Promise<Error | undefined> {
  try {
    await client.query("rollback");
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

const statementNames = new Map<string, string>();

/** Named, so that PostgreSQL plans each of these few statements once per connection. */
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
