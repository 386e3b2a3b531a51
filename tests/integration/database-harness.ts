import { sql } from "drizzle-orm";
import { afterEach, beforeAll, beforeEach } from "vitest";
import { type Database, type DatabaseBounds, type DatabaseHandle, openDatabase } from "#db/client.ts";
import { databaseForFile } from "#tests/support/database.ts";
import { until } from "#tests/support/poll.ts";
import { startWireProxy, type WireProxy } from "#tests/support/wire-proxy.ts";

type Runner = Pick<Database, "execute">;

/** The codes of an error and its causes. */
const codesOf = (thrown: unknown): unknown[] =>
  thrown instanceof Error ? [(thrown as Error & { code?: unknown }).code, ...codesOf(thrown.cause)] : [];

/** Why work failed, as error codes. */
export const failureOf = async (work: Promise<unknown>): Promise<unknown[]> =>
  work.then(
    () => ["it succeeded"],
    (error: unknown) => codesOf(error),
  );

/** Inserts a word; words are unique. */
export const write = (db: Runner, word: string) => db.execute(sql`insert into words values (${word})`);

/** The server process id of a connection. */
export const pidOf = async (db: Runner): Promise<unknown> =>
  (await db.execute(sql`select pg_backend_pid() as pid`))[0]?.pid;

/** Waits until a pool works again. */
export const expectUsable = async (db: Runner): Promise<void> => {
  const again = async () => (await db.execute(sql`select 1 as one`))[0]?.one === 1;
  await until(again, { deadlineMs: 30_000 });
};

/** A table of words, and pools that reach it through a proxy. */
export const cuttableDatabase = () => {
  const database = databaseForFile();
  let proxy: WireProxy;
  let open: DatabaseHandle[] = [];
  beforeAll(() => database().db.execute(sql`create table words (word text primary key)`));
  beforeEach(async () => {
    await database().db.execute(sql`delete from words`);
    proxy = await startWireProxy(database().url);
  });
  afterEach(async () => {
    await Promise.all(open.map((handle) => handle.close()));
    open = [];
    await proxy.close();
  });
  const isRunning = async (pid: unknown): Promise<boolean> =>
    (await database().db.execute(sql`select 1 from pg_stat_activity where pid = ${pid}::int`)).length > 0;
  const untilGone = (pid: unknown) => until(async () => !(await isRunning(pid)), { deadlineMs: 30_000 });
  return {
    proxy: () => proxy,
    openHandle: (max: number, bounds: DatabaseBounds = {}): DatabaseHandle => {
      const handle = openDatabase(proxy.url, max, bounds);
      open.push(handle);
      return handle;
    },
    words: async (): Promise<unknown[]> =>
      (await database().db.execute(sql`select word from words order by word`)).map(({ word }) => word),
    untilGone,
    terminate: async (pid: unknown): Promise<void> => {
      await database().db.execute(sql`select pg_terminate_backend(${pid}::int)`);
      await untilGone(pid);
    },
  };
};
