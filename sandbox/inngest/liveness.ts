import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { Database } from "./database.ts";
import { iso, messageOf } from "./protocol.ts";
import { releaseCalls } from "./queue.ts";

/*
 * Who is dead? Each executor holds a session-level advisory lock on a connection of its own, and its row says which.
 * PostgreSQL drops the lock with the session, so a lock that can be had means that the process is gone, or has lost
 * its connection and is about to come back with a new one. Whoever does not come back for a moment is dead, and what
 * it had claimed is free again. Should it live after all, its answers and those of its successor compete: one counts.
 */

/** This executor's proof of life. */
export interface Liveness {
  /** The name under which it claims calls. */
  id: string;
  /** Frees the calls of executors that are gone. @returns how many executors those were. */
  releaseDead(): Promise<number>;
  /** Gives back what it claimed, and ends. */
  close(): Promise<void>;
}

/** How long an executor may be without its lock: a cut connection is replaced sooner. */
const DEAD_AFTER_MS = 2_000;
const HEARTBEAT_MS = 1_000;
const RECONNECT_MS = 250;

/**
 * Takes the lock, and takes another one on a new connection should this one break.
 * @param url where this executor listens.
 */
export async function proveLife(db: Database, url: string, log: (line: string) => void): Promise<Liveness> {
  const id = `executor-${randomBytes(8).toString("hex")}`;
  const stopping = new AbortController();
  let held = await db.persist(() => holdLock(db, { id, url }, log));
  const keeping = keepLock();

  async function keepLock(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await held.query("select 1");
        await delay(HEARTBEAT_MS, undefined, { signal: stopping.signal });
      } catch {
        // Either we are told to stop, or the connection broke, which its own listener has reported.
        if (!stopping.signal.aborted) await regain();
      }
    }
  }

  async function regain(): Promise<void> {
    hangUp(held, log);
    try {
      held = await holdLock(db, { id, url }, log);
    } catch (error) {
      log(`executor: cannot reach its database: ${messageOf(error)}`);
      await delay(RECONNECT_MS);
    }
  }

  const freeSince = new Map<string, number>();
  return {
    id,
    releaseDead: () => releaseDead(db, id, freeSince),
    async close() {
      stopping.abort();
      await keeping;
      try {
        await db.transaction(async (tx) => {
          await releaseCalls(tx, id);
          await tx.query("delete from worker where id = $1", [id]);
        });
      } finally {
        await held.end();
      }
    },
  };
}

async function holdLock(
  db: Database,
  { id, url }: { id: string; url: string },
  log: (line: string) => void,
): Promise<pg.Client> {
  const lockId = randomBytes(8).readBigInt64BE().toString();
  const client = db.newClient();
  client.on("error", (error) => log(`executor: the connection that proves it is alive broke: ${error.message}`));
  try {
    await client.connect();
    await client.query("select pg_advisory_lock($1)", [lockId]);
    await client.query(
      `insert into worker (id, lock_id, url, started_at) values ($1, $2, $3, $4)
       on conflict (id) do update set lock_id = excluded.lock_id`,
      [id, lockId, url, iso(Date.now())],
    );
    return client;
  } catch (error) {
    hangUp(client, log);
    throw error;
  }
}

/** Nobody waits for a connection that is broken. */
function hangUp(client: pg.Client, log: (line: string) => void): void {
  client.end().catch((error) => log(`executor: a broken connection did not close: ${messageOf(error)}`));
}

async function releaseDead(db: Database, ownId: string, freeSince: Map<string, number>): Promise<number> {
  // Shared, so that two executors that look at the same time do not take each other for its owner.
  const { rows } = await db.query<{ id: string }>(
    `select id from worker where id <> $1 and pg_try_advisory_xact_lock_shared(lock_id)
     union select claimed_by from call where claimed_by <> $1
       and not exists (select 1 from worker where id = call.claimed_by)`,
    [ownId],
  );
  const free = new Set(rows.map((row) => row.id));
  for (const id of [...freeSince.keys()]) if (!free.has(id)) freeSince.delete(id);
  let dead = 0;
  for (const id of free) {
    const since = freeSince.get(id) ?? performance.now();
    freeSince.set(id, since);
    if (performance.now() - since >= DEAD_AFTER_MS && (await buryIfDead(db, id))) dead += 1;
  }
  return dead;
}

/** Whether the executor is dead; its calls are free then. */
function buryIfDead(db: Database, id: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const isAlive = "select 1 from worker where id = $1 and not pg_try_advisory_xact_lock_shared(lock_id)";
    if ((await tx.query(isAlive, [id])).rowCount !== 0) return false;
    await tx.query("delete from worker where id = $1", [id]);
    await releaseCalls(tx, id);
    return true;
  });
}
