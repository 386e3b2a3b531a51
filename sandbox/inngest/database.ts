import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { reconnectDelayMs } from "./duration.ts";
import { LAYOUT_VERSION, PROCEDURES, TABLES } from "./schema.ts";

/** Where statements run: the pool, or one connection inside a transaction. With values they are prepared. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<pg.QueryResult<Row>>;
}

/** A connection inside a transaction. */
export type Tx = Queryable;

/** PostgreSQL as the executor uses it: unqualified names are its own tables and routines. */
export interface Database extends Queryable {
  schema: string;
  /** A connection of its own, outside the pool, not yet connected, whose statements must be quick. */
  newClient(): pg.Client;
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Does work again for as long as the database is gone. A commit whose answer was lost is done again too, so the
   * work must find out by itself that it was committed after all.
   */
  persist<T>(work: () => Promise<T>): Promise<T>;
  /** Ends what `persist` keeps trying, with the error it met last. */
  abandon(): void;
  close(): Promise<void>;
}

/** How the database is opened; `schema` is a plain lower-case name. */
export interface DatabaseSettings {
  databaseUrl: string;
  schema: string;
  /** After this long a statement is given up, and its connection with it. */
  statementTimeoutMs?: number | undefined;
  log(line: string): void;
}

const STATEMENT_TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** For a connection that only proves that it is there. */
const SIGN_OF_LIFE_TIMEOUT_MS = 2_500;
/** The server, too, notices within seconds that nobody is at the other end, and lets go of locks. */
const SERVER_SETTINGS = [
  ...["tcp_keepalives_idle=3", "tcp_keepalives_interval=2", "tcp_keepalives_count=3", "tcp_user_timeout=9000"],
  "idle_in_transaction_session_timeout=5000",
];

const GONE = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOENT", "EHOSTUNREACH"],
  ...["25P03", "40001", "40P01"],
]);

/** Whether a statement failed because the connection did, or for a lack or a conflict that passes. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return (
    GONE.has(code) ||
    /^(57|08|53|58)/.test(code) ||
    /connection (terminated|timeout)|timeout exceeded when trying to connect|query read timeout/i.test(error.message)
  );
}

/** Opens the pool; connections are made when needed. */
export function openDatabase({ databaseUrl, schema, statementTimeoutMs, log }: DatabaseSettings): Database {
  if (!/^[a-z][a-z0-9_]{0,50}$/.test(schema)) throw new Error(`"${schema}" is not a plain lower-case schema name`);
  const timeoutMs = statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  const options = [`search_path=${schema}`, `statement_timeout=${timeoutMs}`, ...SERVER_SETTINGS];
  const settings = {
    ...{ connectionString: databaseUrl, application_name: schema, keepAlive: true },
    options: options.map((setting) => `-c ${setting}`).join(" "),
    // The server's own timeout should come first: its connection stays usable.
    ...{ connectionTimeoutMillis: CONNECT_TIMEOUT_MS, query_timeout: timeoutMs + 500 },
  };
  const pool = new pg.Pool({ ...settings, max: 12, idleTimeoutMillis: 30_000 });
  const report = (error: Error) => log(`executor: a database connection broke: ${error.message}`);
  pool.on("error", report);
  pool.on("connect", (client) => client.on("error", report));
  let isAbandoned = false;

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
    newClient: () => new pg.Client({ ...settings, query_timeout: SIGN_OF_LIFE_TIMEOUT_MS }),
    transaction,
    persist: (work) => persistently(work, () => isAbandoned),
    abandon: () => {
      isAbandoned = true;
    },
    close: async () => {
      isAbandoned = true;
      await pool.end();
    },
  };
}

async function persistently<T>(work: () => Promise<T>, isAbandoned: () => boolean): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (isAbandoned() || !isPassing(error)) throw error;
      await delay(reconnectDelayMs(failures));
    }
  }
}

/**
 * Creates tables and routines. What an older executor left is dropped: its runs cannot be read any more, and the app
 * must send again what was under way.
 * @throws Error in one sentence when a newer layout is found.
 */
export async function createTables(db: Database, log: (line: string) => void): Promise<void> {
  const { schema } = db;
  await db.transaction(async (tx) => {
    await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`${schema}:layout`]);
    const found = await readLayout(tx, schema);
    if (found > LAYOUT_VERSION) {
      throw new Error(`Schema "${schema}" has layout ${found}, but this executor knows ${LAYOUT_VERSION}: update it`);
    }
    if (found < LAYOUT_VERSION) {
      log(`executor: schema "${schema}" had layout ${found} and is made anew as ${LAYOUT_VERSION}: its runs are gone`);
      await tx.query(`drop schema ${schema} cascade`);
      await tx.query(`drop schema if exists ${schema}_queue cascade`);
    }
    await tx.query(`create schema if not exists ${schema}`);
    await tx.query(TABLES);
    await tx.query(PROCEDURES);
    await tx.query("insert into layout select $1 where not exists (select 1 from layout)", [LAYOUT_VERSION]);
  });
}

/** @returns the version of the tables that are there; the newest where there are none. */
async function readLayout(tx: Tx, schema: string): Promise<number> {
  const { rows } = await tx.query<{ isThere: boolean }>(`select to_regclass($1) is not null as "isThere"`, [
    `${schema}.layout`,
  ]);
  if (rows[0]?.isThere !== true) return LAYOUT_VERSION;
  const layout = await tx.query<{ version: number }>("select version from layout");
  return layout.rows[0]?.version ?? LAYOUT_VERSION;
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
