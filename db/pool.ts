import type { Connection } from "./connection.ts";

interface PoolOptions {
  max: number;
  waitMs: number;
  idleMs: number;
  /** How long `close` waits for work to finish before it closes connections. */
  closeMs: number;
  open(): Promise<Connection>;
}

export interface Pool {
  /** @throws PoolError when no connection becomes free in time, or the pool is closed */
  use<R>(work: (connection: Connection) => Promise<R>): Promise<R>;
  close(): Promise<void>;
  usage(): PoolUsage;
}

export interface PoolUsage {
  max: number;
  inUse: number;
  waiting: number;
}

/** No connection was available; nothing was sent. */
class PoolError extends Error {
  readonly code: "POOL_EXHAUSTED" | "POOL_CLOSED";

  constructor(code: "POOL_EXHAUSTED" | "POOL_CLOSED", message: string) {
    super(message);
    this.name = "PoolError";
    this.code = code;
  }
}

interface Waiting {
  give(connection: Connection | null): void;
  refuse(error: Error): void;
}

const closedError = () => new PoolError("POOL_CLOSED", "The database connections are closed.");

const createQueue = (max: number, waitMs: number) => {
  const waiting = new Set<Waiting>();
  const join = (): Promise<Connection | null> =>
    new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        waiting.delete(me);
      };
      const me: Waiting = {
        give: (connection) => {
          leave();
          resolve(connection);
        },
        refuse: (error) => {
          leave();
          reject(error);
        },
      };
      const all = `All ${max} database connections are in use`;
      const tooLong = () => me.refuse(new PoolError("POOL_EXHAUSTED", `${all}; none became free in ${waitMs} ms.`));
      const timer = setTimeout(tooLong, waitMs);
      waiting.add(me);
    });
  return {
    join,
    size: () => waiting.size,
    handOver: (connection: Connection | null): boolean => {
      const [first] = waiting;
      first?.give(connection);
      return first !== undefined;
    },
    refuseAll: () => {
      for (const one of [...waiting]) one.refuse(closedError());
    },
  };
};

/** Unused connections, which are passed to `onIdle` after `idleMs`. The most recent one is used first. */
const createIdleSet = (idleMs: number, onIdle: (connection: Connection) => void) => {
  const timers = new Map<Connection, NodeJS.Timeout>();
  const remove = (connection: Connection): void => {
    clearTimeout(timers.get(connection));
    timers.delete(connection);
  };
  return {
    remove,
    add: (connection: Connection): void => {
      timers.set(
        connection,
        setTimeout(() => {
          remove(connection);
          onIdle(connection);
        }, idleMs),
      );
    },
    take: (): Connection | undefined => {
      const last = [...timers.keys()].at(-1);
      if (last) remove(last);
      return last;
    },
  };
};

class ConnectionPool implements Pool {
  readonly #options: PoolOptions;
  readonly #queue: ReturnType<typeof createQueue>;
  readonly #idle: ReturnType<typeof createIdleSet>;
  readonly #inUse = new Set<Connection>();
  #free: number;
  #closing: Promise<void> | undefined;
  #onReturn = () => {};

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#free = options.max;
    this.#queue = createQueue(options.max, options.waitMs);
    this.#idle = createIdleSet(options.idleMs, (connection) => void connection.end());
  }

  async use<R>(work: (connection: Connection) => Promise<R>): Promise<R> {
    const connection = await this.#acquire();
    try {
      return await work(connection);
    } finally {
      this.#release(connection);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  usage(): PoolUsage {
    return { max: this.#options.max, inUse: this.#inUse.size, waiting: this.#queue.size() };
  }

  async #acquire(): Promise<Connection> {
    if (this.#closing) throw closedError();
    const idle = this.#idle.take();
    if (idle) {
      this.#inUse.add(idle);
      return idle;
    }
    if (this.#free === 0) return (await this.#queue.join()) ?? this.#openConnection();
    this.#free -= 1;
    return this.#openConnection();
  }

  async #openConnection(): Promise<Connection> {
    try {
      const connection = await this.#options.open();
      // The pool was closed while the connection was being opened.
      if (this.#closing) {
        await connection.end();
        throw closedError();
      }
      this.#inUse.add(connection);
      connection.onClose(() => {
        this.#idle.remove(connection);
        // A connection in use keeps its slot until it is released.
        if (!this.#inUse.has(connection)) this.#freeSlot();
      });
      return connection;
    } catch (error) {
      this.#freeSlot();
      throw error;
    }
  }

  #freeSlot(): void {
    if (!this.#queue.handOver(null)) this.#free += 1;
  }

  #release(connection: Connection): void {
    const isClosed = connection.isClosed();
    if (!isClosed && !this.#closing && this.#queue.handOver(connection)) return;
    this.#inUse.delete(connection);
    this.#onReturn();
    if (isClosed) this.#freeSlot();
    else if (this.#closing) void connection.end();
    else this.#idle.add(connection);
  }

  async #finish(): Promise<void> {
    this.#queue.refuseAll();
    const destroy = () => {
      for (const connection of this.#inUse) connection.destroy(closedError());
    };
    const timer = setTimeout(destroy, this.#options.closeMs);
    const closing: Promise<void>[] = [];
    for (let connection = this.#idle.take(); connection; connection = this.#idle.take()) closing.push(connection.end());
    await new Promise<void>((resolve) => {
      this.#onReturn = () => {
        if (this.#inUse.size === 0) resolve();
      };
      this.#onReturn();
    });
    clearTimeout(timer);
    await Promise.all(closing);
  }
}

export const createPool = (options: PoolOptions): Pool => new ConnectionPool(options);
