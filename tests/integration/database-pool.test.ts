import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import type { DatabaseBounds } from "#db/client.ts";
import { cuttableDatabase, expectUsable, failureOf, pidOf, write } from "./database-harness.ts";

const { openHandle, words, terminate, untilGone } = cuttableDatabase();
const pool = (max: number, bounds?: DatabaseBounds) => openHandle(max, bounds).db;

describe("transactions", () => {
  test("a failed statement fails the transaction, even when the work ignores the error", async () => {
    const db = pool(1);
    const blind = db.transaction(async (tx) => {
      await write(tx, "twice");
      await failureOf(write(tx, "twice"));
    });
    expect(await failureOf(blind)).toContain("23505");
    expect(await words()).toEqual([]);
  });

  test("a failed savepoint is rolled back alone", async () => {
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

  test("work that outlives its transaction is refused, since others use the connection by then", async () => {
    const db = pool(1);
    const left = await db.transaction(async (tx) => () => write(tx, "late"));
    await expect(left()).rejects.toThrow();
    expect(await words()).toEqual([]);
  });
});

describe("the pool", () => {
  test("when exhausted, callers time out or get a connection in order", async () => {
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

  test("a waiting caller gets a connection when one in use breaks", async () => {
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

  test("an idle connection is closed; the next statement opens another", async () => {
    const db = pool(2, { idleMs: 100 });
    const pids = await Promise.all([pidOf(db), pidOf(db)]);
    await Promise.all(pids.map(untilGone));
    await expectUsable(db);
  });

  test("after closing, running work may finish and new work is refused", async () => {
    const handle = openHandle(1);
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
