import { type Codecs, type Connection, type Rows, toError } from "./connection.ts";
import type { Pool } from "./pool.ts";

type PooledStatement = Promise<Rows> & { values(): Promise<Rows> };

type Unsafe = (text: string, params?: unknown[]) => PooledStatement;

export interface PooledTransaction {
  unsafe: Unsafe;
  savepoint<R>(work: (inner: PooledTransaction) => Promise<R>): Promise<R>;
  beganAt: Date;
}

export interface PoolClient {
  options: Codecs;
  unsafe: Unsafe;
  begin<R>(work: (transaction: PooledTransaction) => Promise<R>): Promise<R>;
}

const BEGIN = "begin; select floor(extract(epoch from now()) * 1000)::float8 as ms";

/** Starts after the current task, when it is known whether `values()` was called. */
const deferStatement = (start: (asArrays: boolean) => Promise<Rows>): PooledStatement => {
  let asArrays = false;
  const promise = Promise.resolve().then(() => start(asArrays));
  return Object.assign(promise, {
    values: () => {
      asArrays = true;
      return promise;
    },
  });
};

/** Rolls back without hiding the original error; closes a connection that cannot roll back. */
const rollBackOrDestroy = async (connection: Connection, text: string): Promise<void> => {
  if (connection.isClosed()) return;
  await connection.script(text).catch((error: unknown) => connection.destroy(toError(error)));
};

interface ScopeEnd {
  commit(): Promise<unknown>;
  rollBack(): Promise<unknown>;
}

const runScope = async <R>(
  on: { connection: Connection; beganAt: Date; depth: number },
  work: (scope: PooledTransaction) => Promise<R>,
  end: ScopeEnd,
): Promise<R> => {
  const { connection, beganAt, depth } = on;
  let hasEnded = false;
  let failures: unknown[] = [];
  const run = async (text: string, params: unknown[], asArrays: boolean): Promise<Rows> => {
    // Work left over from an ended transaction must not run on a connection that is used elsewhere now.
    if (hasEnded) throw new Error("This transaction has ended.");
    try {
      return await connection.run({ text, params, asArrays });
    } catch (error) {
      failures = [...failures, error];
      throw error;
    }
  };
  const scope: PooledTransaction = {
    beganAt,
    unsafe: (text, params = []) => deferStatement((asArrays) => run(text, params, asArrays)),
    savepoint: async (inner) => {
      const name = `s${depth}`;
      await connection.script(`savepoint ${name}`);
      return runScope({ ...on, depth: depth + 1 }, inner, {
        commit: () => connection.script(`release savepoint ${name}`),
        rollBack: () => rollBackOrDestroy(connection, `rollback to savepoint ${name}; release savepoint ${name}`),
      });
    },
  };
  try {
    const result = await work(scope);
    hasEnded = true;
    // PostgreSQL aborts a transaction after a failed statement, even if the work ignored the error.
    if (failures.length > 0) throw failures[0];
    await end.commit();
    return result;
  } catch (error) {
    hasEnded = true;
    await end.rollBack();
    throw error;
  }
};

const transact = async <R>(
  connection: Connection,
  work: (transaction: PooledTransaction) => Promise<R>,
): Promise<R> => {
  const [, times] = await connection.script(BEGIN);
  const beganAt = new Date(Number(times?.[0]?.ms));
  let isCommitting = false;
  return runScope({ connection, beganAt, depth: 1 }, work, {
    commit: async () => {
      isCommitting = true;
      const [done] = await connection.script("commit");
      if (done?.command !== "COMMIT") throw new Error(`PostgreSQL answered ${done?.command} to a commit.`);
    },
    rollBack: async () => {
      if (!isCommitting) await rollBackOrDestroy(connection, "rollback");
    },
  });
};

export const createPoolClient = (pool: Pool, codecs: Codecs): PoolClient => ({
  options: codecs,
  unsafe: (text, params = []) =>
    deferStatement((asArrays) => pool.use((connection) => connection.run({ text, params, asArrays }))),
  begin: (work) => pool.use((connection) => transact(connection, work)),
});
