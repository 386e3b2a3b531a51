import { type Codecs, type Link, type Rows, toError } from "./link.ts";
import type { Pool } from "./pool.ts";

/** A statement's promise, as the query builder wants it: `values()`, said at once, asks for rows without names. */
type LentStatement = Promise<Rows> & { values(): Promise<Rows> };

type Unsafe = (text: string, params?: unknown[]) => LentStatement;

/** What the query builder needs of a transaction; it all runs on one connection. */
export interface LentTransaction {
  unsafe: Unsafe;
  savepoint<R>(work: (inner: LentTransaction) => Promise<R>): Promise<R>;
  /** When the transaction began, by the database's clock. */
  beganAt: Date;
}

/** What the query builder needs of a client, over a pool. */
export interface LendClient {
  options: Codecs;
  unsafe: Unsafe;
  begin<R>(work: (transaction: LentTransaction) => Promise<R>): Promise<R>;
}

const BEGIN = "begin; select floor(extract(epoch from now()) * 1000)::float8 as ms";

/** Starts in a moment, when it is known whether `values()` was said. */
const laterAs = (start: (asArrays: boolean) => Promise<Rows>): LentStatement => {
  let asArrays = false;
  const promise = Promise.resolve().then(() => start(asArrays));
  return Object.assign(promise, {
    values: () => {
      asArrays = true;
      return promise;
    },
  });
};

/** The work's own error is the one to tell; a connection that cannot even roll back is of no more use. */
const undoOrCut = async (link: Link, text: string): Promise<void> => {
  if (link.isOver()) return;
  await link.script(text).catch((error: unknown) => link.cut(toError(error)));
};

interface Ends {
  keep(): Promise<unknown>;
  undo(): Promise<unknown>;
}

/** A stretch of a transaction: the whole of it, or what stands behind a savepoint. */
const runScope = async <R>(
  on: { link: Link; beganAt: Date; depth: number },
  work: (scope: LentTransaction) => Promise<R>,
  ends: Ends,
): Promise<R> => {
  const { link, beganAt, depth } = on;
  let isOver = false;
  let failures: unknown[] = [];
  const run = async (text: string, params: unknown[], asArrays: boolean): Promise<Rows> => {
    // Left-over work of an ended transaction must not run on a connection that others borrow now.
    if (isOver) throw new Error("This transaction has ended.");
    try {
      return await link.run({ text, params, asArrays });
    } catch (error) {
      failures = [...failures, error];
      throw error;
    }
  };
  const scope: LentTransaction = {
    beganAt,
    unsafe: (text, params = []) => laterAs((asArrays) => run(text, params, asArrays)),
    savepoint: async (inner) => {
      const name = `s${depth}`;
      await link.script(`savepoint ${name}`);
      return runScope({ ...on, depth: depth + 1 }, inner, {
        keep: () => link.script(`release savepoint ${name}`),
        undo: () => undoOrCut(link, `rollback to savepoint ${name}; release savepoint ${name}`),
      });
    },
  };
  try {
    const result = await work(scope);
    isOver = true;
    // PostgreSQL has given up on everything since a failed statement, even when the work went on.
    if (failures.length > 0) throw failures[0];
    await ends.keep();
    return result;
  } catch (error) {
    isOver = true;
    await ends.undo();
    throw error;
  }
};

/**
 * A transaction on a lent link. It ends with its connection: whatever was not committed by then never will be, and
 * nothing of it runs elsewhere. A link whose transaction cannot be closed is cut.
 */
const transact = async <R>(link: Link, work: (transaction: LentTransaction) => Promise<R>): Promise<R> => {
  const [, times] = await link.script(BEGIN);
  const beganAt = new Date(Number(times?.[0]?.ms));
  let isCommitting = false;
  return runScope({ link, beganAt, depth: 1 }, work, {
    keep: async () => {
      isCommitting = true;
      const [done] = await link.script("commit");
      if (done?.command !== "COMMIT") throw new Error(`PostgreSQL answered ${done?.command} to a commit.`);
    },
    undo: async () => {
      if (!isCommitting) await undoOrCut(link, "rollback");
    },
  });
};

/** A pool in the shape of the driver that the query builder knows. */
export const lendClient = (pool: Pool, codecs: Codecs): LendClient => ({
  options: codecs,
  unsafe: (text, params = []) => laterAs((asArrays) => pool.lend((link) => link.run({ text, params, asArrays }))),
  begin: (work) => pool.lend((link) => transact(link, work)),
});
