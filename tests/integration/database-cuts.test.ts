import { rmSync } from "node:fs";
import { sql } from "drizzle-orm";
import { describe, expect, onTestFinished, test } from "vitest";
import { type DatabaseBounds, openDatabase } from "#db/client.ts";
import { startPostgres } from "#scripts/postgres.ts";
import { inRepository } from "#scripts/root.ts";
import { startWireProxy } from "#tests/support/wire-proxy.ts";
import { cuttableDatabase, expectUsable, failureOf, pidOf, write } from "./database-harness.ts";

const { proxy, openHandle, words, terminate } = cuttableDatabase();
const pool = (max: number, bounds?: DatabaseBounds) => openHandle(max, bounds).db;

describe("R-SRV-03 a closed connection ends its transaction", () => {
  test("closed before a transaction: at most one fails, and the next ones work", async () => {
    const db = pool(1);
    await terminate(await pidOf(db));
    await expectUsable(db);
    await db.transaction((tx) => write(tx, "after"));
    expect(await words()).toEqual(["after"]);
  });

  test("closed in the middle: nothing is saved, and later statements do not run elsewhere", async () => {
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

  test("closed during 300 concurrent statements: each of them settles, and none is saved", async () => {
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

  test("closed before the commit arrives: it fails, and nothing is saved", async () => {
    const db = pool(1);
    proxy().cutAt("commit", "before");
    expect(await failureOf(db.transaction((tx) => write(tx, "lost")))).toContain("CONNECTION_LOST");
    await expectUsable(db);
    expect(await words()).toEqual([]);
  });

  test("closed after the commit: it fails but is saved once, which a retry detects", async () => {
    const db = pool(1);
    proxy().cutAt("commit", "answered");
    expect(await failureOf(db.transaction((tx) => write(tx, "kept")))).toContain("CONNECTION_LOST");
    await expectUsable(db);
    expect(await words()).toEqual(["kept"]);
    expect(await failureOf(db.transaction((tx) => write(tx, "kept")))).toContain("23505");
  });

  test("a truncated reply fails its statement, which is not repeated", async () => {
    const db = pool(1);
    await expectUsable(db);
    proxy().cutAt("once", "answered");
    expect(await failureOf(write(db, "once"))).toContain("CONNECTION_LOST");
    await expectUsable(db);
    expect(await words()).toEqual(["once"]);
  });
});

describe("a server that stops responding", () => {
  test("statements and connects time out; afterward everything works", async () => {
    const db = pool(1, { responseTimeoutMs: 1_000, connectMs: 1_000 });
    await expectUsable(db);
    proxy().stall();
    expect(await failureOf(write(db, "unheard"))).toContain("STATEMENT_TIMEOUT");
    expect(await failureOf(write(db, "unheard"))).toContain("CONNECT_TIMEOUT");
    proxy().resume();
    await expectUsable(db);
    expect(await words()).toEqual([]);
  });

  test("a running transaction ends too, and the server rolls it back", async () => {
    const db = pool(1, { responseTimeoutMs: 1_000 });
    const torn = db.transaction(async (tx) => {
      await write(tx, "half");
      proxy().stall();
      await write(tx, "other half");
    });
    expect(await failureOf(torn)).toContain("STATEMENT_TIMEOUT");
    proxy().resume();
    await expectUsable(db);
    expect(await words()).toEqual([]);
  });

  test("the server cancels statements and abandoned transactions before our own timeout", async () => {
    const db = pool(1);
    expect((await db.execute(sql`show statement_timeout`))[0]).toEqual({ statement_timeout: "24s" });
    const [row] = await db.execute(sql`show idle_in_transaction_session_timeout`);
    expect(row).toEqual({ idle_in_transaction_session_timeout: "1min" });
  });

  test("after a restart: statements fail without hanging while it is down, and the same pool works again", async () => {
    const dataDir = inRepository(".test", `postgres-${process.pid}-restarted`);
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const first = await startPostgres({ dataDir, durable: false });
    const servers = [first];
    onTestFinished(async () => void (await Promise.all(servers.map((server) => server.stop()))));
    const way = await startWireProxy(first.url);
    onTestFinished(() => way.close());
    const handle = openDatabase(way.url, 3);
    onTestFinished(() => handle.close());
    await handle.db.execute(sql`create table kept (n int)`);
    const torn = handle.db.transaction(async (tx) => {
      await tx.execute(sql`insert into kept values (1)`);
      await first.stop();
      await tx.execute(sql`insert into kept values (2)`);
    });
    expect(await failureOf(torn)).not.toEqual(["it succeeded"]);
    expect(await failureOf(handle.db.execute(sql`select 1`))).not.toEqual(["it succeeded"]);
    const second = await startPostgres({ dataDir, durable: false });
    servers.push(second);
    way.redirectTo(second.url);
    await expectUsable(handle.db);
    expect(await handle.db.execute(sql`select n from kept`)).toEqual([]);
  }, 120_000);

  test("connection refused: fails clearly and at once", async () => {
    const { db, close } = openDatabase("postgres://nobody:x@127.0.0.1:1/none", 1);
    expect(await failureOf(db.execute(sql`select 1`))).toContain("ECONNREFUSED");
    await close();
  });
});
