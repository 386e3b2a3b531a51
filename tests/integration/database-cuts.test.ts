import { rmSync } from "node:fs";
import { sql } from "drizzle-orm";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Database, type DatabaseBounds, type DatabaseHandle, openDatabase } from "#db/client.ts";
import { startPostgres } from "#scripts/postgres.ts";
import { inRepository } from "#scripts/root.ts";
import { databaseForFile } from "#tests/support/database.ts";
import { until } from "#tests/support/poll.ts";
import { startWireProxy, type WireProxy } from "#tests/support/wire-proxy.ts";

const database = databaseForFile();
let proxy: WireProxy;
let open: DatabaseHandle[] = [];

/** A pool of the product's by way of the proxy. */
const pool = (max = 3, bounds: DatabaseBounds = {}): Database => {
  const handle = openDatabase(proxy.url, max, bounds);
  open.push(handle);
  return handle.db;
};

const write = (db: Pick<Database, "execute">, word: string) => db.execute(sql`insert into words values (${word})`);

const words = async (): Promise<unknown[]> =>
  (await database().db.execute(sql`select word from words order by word`)).map(({ word }) => word);

const pidOf = async (db: Pick<Database, "execute">) => (await db.execute(sql`select pg_backend_pid() as pid`))[0]?.pid;

const terminate = async (pid: unknown): Promise<void> => {
  await database().db.execute(sql`select pg_terminate_backend(${pid}::int)`);
  const isGone = async () =>
    (await database().db.execute(sql`select 1 from pg_stat_activity where pid = ${pid}::int`)).length === 0;
  await until(isGone, { deadlineMs: 30_000 });
};

/** The codes of an error and of what caused it. */
const codesOf = (thrown: unknown): unknown[] =>
  thrown instanceof Error ? [(thrown as Error & { code?: unknown }).code, ...codesOf(thrown.cause)] : [];

const failureOf = async (work: Promise<unknown>): Promise<unknown[]> =>
  work.then(
    () => ["it succeeded"],
    (error: unknown) => codesOf(error),
  );

const expectUsable = async (db: Database): Promise<void> => {
  const again = async () => (await db.execute(sql`select 1 as one`))[0]?.one === 1;
  await until(again, { deadlineMs: 30_000 });
};

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

describe("R-SRV-03 a connection that is cut takes its transaction along", () => {
  test("cut before a transaction: at most one fails, and the next ones work", async () => {
    const db = pool(1);
    await terminate(await pidOf(db));
    await expectUsable(db);
    await db.transaction((tx) => write(tx, "after"));
    expect(await words()).toEqual(["after"]);
  });

  test("cut in the middle: nothing of it is kept, and what follows in it runs nowhere else", async () => {
    const db = pool(2);
    await Promise.all([pidOf(db), pidOf(db)]);
    const torn = db.transaction(async (tx) => {
      await write(tx, "first");
      await terminate(await pidOf(tx));
      const second = await failureOf(write(tx, "second"));
      expect(second).not.toEqual(["it succeeded"]);
      await write(tx, "third");
    });
    expect(await failureOf(torn)).not.toEqual(["it succeeded"]);
    expect(await words()).toEqual([]);
    await expectUsable(db);
  });

  test("three hundred statements at once, cut among them: each of them ends, and none is kept", async () => {
    const db = pool(1);
    const torn = db.transaction(async (tx) => {
      const pid = await pidOf(tx);
      const all = Array.from({ length: 300 }, (_, n) => write(tx, `word ${n}`));
      const sleep = tx.execute(sql`select pg_sleep(30)`);
      await terminate(pid);
      const ends = await Promise.allSettled([...all, sleep]);
      expect(ends.at(-1)?.status).toBe("rejected");
      throw new Error("the end");
    });
    await expect(torn).rejects.toThrow("the end");
    expect(await words()).toEqual([]);
    await expectUsable(db);
  });

  test("cut before the commit arrives: it fails, and nothing is kept", async () => {
    const db = pool(1);
    proxy.cutAt("commit", "before");
    expect(await failureOf(db.transaction((tx) => write(tx, "lost")))).toContain("CONNECTION_LOST");
    await expectUsable(db);
    expect(await words()).toEqual([]);
  });

  test("cut after the commit: it fails, but is kept once; a second try finds it", async () => {
    const db = pool(1);
    proxy.cutAt("commit", "answered");
    expect(await failureOf(db.transaction((tx) => write(tx, "kept")))).toContain("CONNECTION_LOST");
    await expectUsable(db);
    expect(await words()).toEqual(["kept"]);
    expect(await failureOf(db.transaction((tx) => write(tx, "kept")))).toContain("23505");
  });

  test("a reply that is cut fails its statement, which is not sent again", async () => {
    const db = pool(1);
    await expectUsable(db);
    proxy.cutAt("once", "answered");
    expect(await failureOf(write(db, "once"))).toContain("CONNECTION_LOST");
    await expectUsable(db);
    expect(await words()).toEqual(["once"]);
  });
});

describe("a server that goes silent", () => {
  test("a statement ends in bounded time, as does connecting; afterwards all works", async () => {
    const db = pool(1, { silenceMs: 1_000, connectMs: 1_000 });
    await expectUsable(db);
    proxy.goSilent();
    expect(await failureOf(write(db, "unheard"))).toContain("STATEMENT_TIMEOUT");
    expect(await failureOf(write(db, "unheard"))).toContain("CONNECT_TIMEOUT");
    proxy.speakAgain();
    await expectUsable(db);
    expect(await words()).toEqual([]);
  });

  test("a transaction in the middle of its work ends too, and the server forgets it", async () => {
    const db = pool(1, { silenceMs: 1_000 });
    const torn = db.transaction(async (tx) => {
      await write(tx, "half");
      proxy.goSilent();
      await write(tx, "other half");
    });
    expect(await failureOf(torn)).toContain("STATEMENT_TIMEOUT");
    proxy.speakAgain();
    await expectUsable(db);
    expect(await words()).toEqual([]);
  });

  test("the server itself gives up a statement, and a transaction that we left behind, before we give up the server", async () => {
    const db = pool(1);
    expect((await db.execute(sql`show statement_timeout`))[0]).toEqual({ statement_timeout: "24s" });
    const [row] = await db.execute(sql`show idle_in_transaction_session_timeout`);
    expect(row).toEqual({ idle_in_transaction_session_timeout: "1min" });
  });

  test("restarted: statements fail while it is away, hang nowhere, and the same pool serves again", async () => {
    const dataDir = inRepository(".test", `postgres-${process.pid}-restarted`);
    const first = await startPostgres({ dataDir, durable: false });
    const way = await startWireProxy(first.url);
    const handle = openDatabase(way.url, 3);
    await handle.db.execute(sql`create table kept (n int)`);
    const torn = handle.db.transaction(async (tx) => {
      await tx.execute(sql`insert into kept values (1)`);
      await first.stop();
      await tx.execute(sql`insert into kept values (2)`);
    });
    expect(await failureOf(torn)).not.toEqual(["it succeeded"]);
    expect(await failureOf(handle.db.execute(sql`select 1`))).not.toEqual(["it succeeded"]);
    const second = await startPostgres({ dataDir, durable: false });
    way.leadTo(second.url);
    await expectUsable(handle.db);
    expect(await handle.db.execute(sql`select n from kept`)).toEqual([]);
    await handle.close();
    await way.close();
    await second.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  test("nobody listens at that address: a clear failure, at once", async () => {
    const { db, close } = openDatabase("postgres://nobody:x@127.0.0.1:1/none", 1);
    expect(await failureOf(db.execute(sql`select 1`))).toContain("ECONNREFUSED");
    await close();
  });
});

describe("transactions", () => {
  test("a failed statement fails the whole, even when the work looks away", async () => {
    const db = pool(1);
    const blind = db.transaction(async (tx) => {
      await write(tx, "twice");
      await failureOf(write(tx, "twice"));
    });
    expect(await failureOf(blind)).toContain("23505");
    expect(await words()).toEqual([]);
  });

  test("a failed savepoint is undone alone", async () => {
    const db = pool(1);
    await db.transaction(async (tx) => {
      await write(tx, "kept");
      await failureOf(
        tx.transaction(async (inner) => {
          await write(inner, "undone");
          await write(inner, "kept");
        }),
      );
      await tx.transaction((inner) => write(inner, "kept too"));
    });
    expect(await words()).toEqual(["kept", "kept too"]);
  });

  test("work that outlives its transaction is refused, for the connection serves others by then", async () => {
    const db = pool(1);
    const left = await db.transaction(async (tx) => () => write(tx, "late"));
    await expect(left()).rejects.toThrow();
    expect(await words()).toEqual([]);
  });
});

describe("the pool", () => {
  test("exhausted: who waits too long is told so; who waits in time is served in order", async () => {
    const db = pool(2, { waitMs: 300 });
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const busy = gates.map((gate) => db.transaction(() => gate.promise));
    expect(await failureOf(db.execute(sql`select 1`))).toContain("POOL_EXHAUSTED");
    for (const gate of gates) gate.resolve();
    await Promise.all(busy);
    const patient = pool(2);
    const served = await Promise.all(Array.from({ length: 20 }, (_, n) => patient.execute(sql`select ${n}::int as n`)));
    expect(served.map((rows) => rows[0]?.n)).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  test("what waits for a connection is served when a borrowed one breaks", async () => {
    const db = pool(1, { waitMs: 60_000 });
    let next: Promise<unknown> | undefined;
    const torn = db.transaction(async (tx) => {
      next = write(db, "next");
      await terminate(await pidOf(tx));
      await write(tx, "torn");
    });
    expect(await failureOf(torn)).not.toEqual(["it succeeded"]);
    await next;
    expect(await words()).toEqual(["next"]);
  });

  test("a connection that nobody uses is closed; the next statement opens another", async () => {
    const db = pool(2, { idleMs: 100 });
    const pids = await Promise.all([pidOf(db), pidOf(db)]);
    const gone = () =>
      database().db.execute(
        sql`select 1 from pg_stat_activity where pid in (${sql.join(
          pids.map((pid) => sql`${pid}::int`),
          sql`, `,
        )})`,
      );
    await until(async () => (await gone()).length === 0, { deadlineMs: 30_000 });
    await expectUsable(db);
  });

  test("closed: work under way may finish, new work is refused", async () => {
    const handle = openDatabase(proxy.url, 1);
    let closing: Promise<void> | undefined;
    await handle.db.transaction(async (tx) => {
      await write(tx, "begun");
      closing = handle.close();
      expect(await failureOf(handle.db.execute(sql`select 1`))).toContain("POOL_CLOSED");
      await write(tx, "finished");
    });
    await closing;
    expect(await words()).toEqual(["begun", "finished"]);
  });
});
