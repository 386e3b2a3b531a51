import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { Database, Tx } from "./database.ts";
import { iso, messageOf } from "./values.ts";

/*
 * Who is dead? Each process holds a session-level advisory lock on a connection of its own, and registers under that
 * lock's number the queue pools it runs. PostgreSQL drops the lock with the session, so whoever can take it has proof
 * that the process is gone and may unlock its jobs at once. A pool that is not registered after a while died before it
 * could be.
 */

/** This process's proof of life. */
export interface Liveness {
  /** Registers a pool of this process; queued at once on the lock's own connection. */
  register(poolId: string): void;
  /** Frees the jobs of pools whose process is gone. @returns how many pools those were. */
  unlockDead(): Promise<number>;
  /** Frees the jobs of a pool of this process that has ended. */
  retire(poolId: string): Promise<void>;
  close(): Promise<void>;
}

const UNREGISTERED_GRACE_MS = 10_000;

/** Takes the lock, and takes it again on a new connection should this one break. */
export async function proveLife(db: Database, log: (line: string) => void): Promise<Liveness> {
  const pools = new Set<string>();
  const holder = await holdLock(db, pools, log);
  const retire = async (poolId: string) => {
    pools.delete(poolId);
    await db.persist(() => db.transaction((tx) => unlock(tx, db, poolId)));
  };
  return {
    register(poolId) {
      pools.add(poolId);
      holder.insert(poolId).catch((error) => log(`executor: could not register its queue: ${messageOf(error)}`));
    },
    unlockDead: () => unlockDead(db, pools),
    retire,
    async close() {
      for (const poolId of pools) await retire(poolId);
      await holder.close();
    },
  };
}

interface LockHolder {
  insert(poolId: string): Promise<unknown>;
  close(): Promise<void>;
}

async function holdLock(db: Database, pools: ReadonlySet<string>, log: (line: string) => void): Promise<LockHolder> {
  const lockId = randomBytes(8).readBigInt64BE().toString();
  let isClosed = false;
  const connect = async (): Promise<pg.Client> => {
    const client = db.newClient();
    client.on("error", (error) => log(`executor: the connection that proves it is alive broke: ${error.message}`));
    await client.connect();
    await client.query("select pg_advisory_lock($1)", [lockId]);
    client.once("end", () => void regain());
    return client;
  };
  const insert = (poolId: string) =>
    held.query("insert into worker (pool_id, lock_id, started_at) values ($1, $2, $3) on conflict do nothing", [
      poolId,
      lockId,
      iso(Date.now()),
    ]);
  const regain = async () => {
    while (!isClosed) {
      try {
        held = await connect();
        for (const poolId of pools) await insert(poolId);
        return;
      } catch (error) {
        log(`executor: cannot reach its database: ${messageOf(error)}`);
        await delay(1_000);
      }
    }
  };
  let held = await connect();
  return {
    insert,
    async close() {
      isClosed = true;
      await held.end();
    },
  };
}

async function unlockDead(db: Database, own: ReadonlySet<string>): Promise<number> {
  const { rows } = await db.query<{ poolId: string }>(
    `select pool_id as "poolId" from worker where pool_id <> all($1)
     union select locked_by from ${db.queueSchema}.jobs
       where locked_by <> all($1) and locked_at < $2 and not exists (select 1 from worker where pool_id = locked_by)`,
    [[...own], iso(Date.now() - UNREGISTERED_GRACE_MS)],
  );
  let dead = 0;
  for (const { poolId } of rows) if (await unlockIfDead(db, poolId)) dead += 1;
  return dead;
}

/** Unlocks a pool's jobs unless another process still holds the lock it registered under. */
function unlockIfDead(db: Database, poolId: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const { rows } = await tx.query<{ isDead: boolean }>(
      `select pg_try_advisory_xact_lock(lock_id) as "isDead" from worker where pool_id = $1`,
      [poolId],
    );
    if (rows[0]?.isDead === false) return false;
    await unlock(tx, db, poolId);
    return true;
  });
}

async function unlock(tx: Tx, db: Database, poolId: string): Promise<void> {
  await tx.query(`select ${db.queueSchema}.force_unlock_workers(array[$1])`, [poolId]);
  await tx.query("delete from worker where pool_id = $1", [poolId]);
}
