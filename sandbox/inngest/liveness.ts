import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { Database } from "./database.ts";
import { iso, messageOf } from "./protocol.ts";
import { releaseCalls } from "./queue.ts";

/*
 * An executor holds an advisory lock of a session of its own; if it is free, the process died or is about to reconnect.
 * After a grace period its calls are released; should it be alive after all, only one result is applied.
 */

export interface Liveness {
  id: string;
  /** Releases the calls of dead executors. Returns the number of executors. */
  releaseDead(): Promise<number>;
  close(): Promise<void>;
}

/** How long an executor may be without its lock; reconnecting is faster. */
const DEAD_AFTER_MS = 2_000;
const HEARTBEAT_MS = 1_000;
const RECONNECT_MS = 250;

/** Takes the lock, and a new one on a new connection whenever the connection breaks. */
export async function registerWorker(db: Database, url: string, log: (line: string) => void): Promise<Liveness> {
  const id = `executor-${randomBytes(8).toString("hex")}`;
  const stopping = new AbortController();
  let connection = await db.retry(() => acquireLock(db, { id, url }, log));
  const heartbeat = maintainLock();

  async function maintainLock(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await connection.query("select 1");
        await delay(HEARTBEAT_MS, undefined, { signal: stopping.signal });
      } catch {
        // Either it is stopping, or the connection broke, which its own listener has logged.
        if (!stopping.signal.aborted) await reacquireLock();
      }
    }
  }

  async function reacquireLock(): Promise<void> {
    disconnect(connection, log);
    try {
      connection = await acquireLock(db, { id, url }, log);
    } catch (error) {
      log(`executor: cannot reach the database: ${messageOf(error)}`);
      await delay(RECONNECT_MS);
    }
  }

  const unlockedSince = new Map<string, number>();
  return {
    id,
    releaseDead: () => releaseDead(db, id, unlockedSince),
    async close() {
      stopping.abort();
      await heartbeat;
      try {
        await db.transaction(async (tx) => {
          await releaseCalls(tx, id);
          await tx.query("delete from worker where id = $1", [id]);
        });
      } finally {
        await connection.end();
      }
    },
  };
}

async function acquireLock(
  db: Database,
  { id, url }: { id: string; url: string },
  log: (line: string) => void,
): Promise<pg.Client> {
  const lockId = randomBytes(8).readBigInt64BE().toString();
  const client = db.newClient();
  client.on("error", (error) => log(`executor: lost the heartbeat connection: ${error.message}`));
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
    disconnect(client, log);
    throw error;
  }
}

function disconnect(client: pg.Client, log: (line: string) => void): void {
  client.end().catch((error) => log(`executor: could not close a broken connection: ${messageOf(error)}`));
}

async function releaseDead(db: Database, ownId: string, unlockedSince: Map<string, number>): Promise<number> {
  // Shared, so that two executors that check at the same time do not mistake each other for the owner.
  const { rows } = await db.query<{ id: string }>(
    `select id from worker where id <> $1 and pg_try_advisory_xact_lock_shared(lock_id)
     union select claimed_by from call where claimed_by <> $1
       and not exists (select 1 from worker where id = call.claimed_by)`,
    [ownId],
  );
  const unlocked = new Set(rows.map((row) => row.id));
  for (const id of [...unlockedSince.keys()]) if (!unlocked.has(id)) unlockedSince.delete(id);
  let dead = 0;
  for (const id of unlocked) {
    const since = unlockedSince.get(id) ?? performance.now();
    unlockedSince.set(id, since);
    if (performance.now() - since >= DEAD_AFTER_MS && (await removeIfDead(db, id))) dead += 1;
  }
  return dead;
}

/** Returns whether the executor was dead, after releasing its calls. */
function removeIfDead(db: Database, id: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const isAlive = "select 1 from worker where id = $1 and not pg_try_advisory_xact_lock_shared(lock_id)";
    if ((await tx.query(isAlive, [id])).rowCount !== 0) return false;
    await tx.query("delete from worker where id = $1", [id]);
    await releaseCalls(tx, id);
    return true;
  });
}
