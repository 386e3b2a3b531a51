import type { Link } from "./link.ts";

export interface PoolOptions {
  max: number;
  /** How long to wait for a connection while all of them are lent. */
  waitMs: number;
  /** Connections that nobody wanted for so long are closed. */
  idleMs: number;
  /** How long closing waits for work that is under way, before it cuts it. */
  closeMs: number;
  open(): Promise<Link>;
}

/** Lends connections, each to one borrower at a time. */
export interface Pool {
  /**
   * Opens, or takes, a connection for as long as the work lasts. A broken one is thrown away, never repaired.
   * @throws PoolError when none becomes free in time, or the pool was closed; what opening or the work throws
   */
  lend<R>(work: (link: Link) => Promise<R>): Promise<R>;
  /** Lets borrowers finish for a while, then cuts what is left. */
  close(): Promise<void>;
  usage(): PoolUsage;
}

/** Connections that are lent at this moment, how many there may be, and who waits for one. */
export interface PoolUsage {
  max: number;
  lent: number;
  waiting: number;
}

/** No connection was to be had; nothing was sent. */
export class PoolError extends Error {
  readonly code: "POOL_EXHAUSTED" | "POOL_CLOSED";

  constructor(code: "POOL_EXHAUSTED" | "POOL_CLOSED", message: string) {
    super(message);
    this.name = "PoolError";
    this.code = code;
  }
}

interface Waiting {
  /** `null`: a place became free, and the waiting one opens a connection of its own. */
  give(link: Link | null): void;
  refuse(error: Error): void;
}

const closedError = () => new PoolError("POOL_CLOSED", "The database's connections are closed.");

/** Those who wait for a connection, in their order, each for at most `waitMs`. */
const createQueue = (max: number, waitMs: number) => {
  const waiting = new Set<Waiting>();
  const join = (): Promise<Link | null> =>
    new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        waiting.delete(me);
      };
      const me: Waiting = {
        give: (link) => {
          leave();
          resolve(link);
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
    /** Hands the first one a link, or a place for one; false when nobody waits. */
    serve: (link: Link | null): boolean => {
      const [first] = waiting;
      first?.give(link);
      return first !== undefined;
    },
    refuseAll: () => {
      for (const one of [...waiting]) one.refuse(closedError());
    },
  };
};

/** Connections that nobody uses; after `idleMs` they are handed to `retire`. The last to come is the first to go. */
const createRest = (idleMs: number, retire: (link: Link) => void) => {
  const timers = new Map<Link, NodeJS.Timeout>();
  const remove = (link: Link): void => {
    clearTimeout(timers.get(link));
    timers.delete(link);
  };
  return {
    remove,
    add: (link: Link): void => {
      timers.set(
        link,
        setTimeout(() => {
          remove(link);
          retire(link);
        }, idleMs),
      );
    },
    take: (): Link | undefined => {
      const last = [...timers.keys()].at(-1);
      if (last) remove(last);
      return last;
    },
  };
};

class LinkPool implements Pool {
  readonly #options: PoolOptions;
  readonly #queue: ReturnType<typeof createQueue>;
  readonly #rest: ReturnType<typeof createRest>;
  readonly #lent = new Set<Link>();
  #places: number;
  #closing: Promise<void> | undefined;
  #onReturn = () => {};

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#places = options.max;
    this.#queue = createQueue(options.max, options.waitMs);
    this.#rest = createRest(options.idleMs, (link) => void link.end());
  }

  async lend<R>(work: (link: Link) => Promise<R>): Promise<R> {
    const link = await this.#acquire();
    try {
      return await work(link);
    } finally {
      this.#release(link);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  usage(): PoolUsage {
    return { max: this.#options.max, lent: this.#lent.size, waiting: this.#queue.size() };
  }

  async #acquire(): Promise<Link> {
    if (this.#closing) throw closedError();
    const rested = this.#rest.take();
    if (rested) {
      this.#lent.add(rested);
      return rested;
    }
    if (this.#places === 0) return (await this.#queue.join()) ?? this.#openOne();
    this.#places -= 1;
    return this.#openOne();
  }

  async #openOne(): Promise<Link> {
    try {
      const link = await this.#options.open();
      // Closed meanwhile: nobody waits for this one any more.
      if (this.#closing) {
        await link.end();
        throw closedError();
      }
      this.#lent.add(link);
      link.onOver(() => {
        this.#rest.remove(link);
        // One that is lent keeps its place until its borrower lets go.
        if (!this.#lent.has(link)) this.#freePlace();
      });
      return link;
    } catch (error) {
      this.#freePlace();
      throw error;
    }
  }

  #freePlace(): void {
    if (!this.#queue.serve(null)) this.#places += 1;
  }

  #release(link: Link): void {
    const isOver = link.isOver();
    // Stays lent when the next one in the queue takes it.
    if (!isOver && !this.#closing && this.#queue.serve(link)) return;
    this.#lent.delete(link);
    this.#onReturn();
    if (isOver) this.#freePlace();
    else if (this.#closing) void link.end();
    else this.#rest.add(link);
  }

  async #finish(): Promise<void> {
    this.#queue.refuseAll();
    const cut = () => {
      for (const link of this.#lent) link.cut(closedError());
    };
    const timer = setTimeout(cut, this.#options.closeMs);
    const resting: Promise<void>[] = [];
    for (let link = this.#rest.take(); link; link = this.#rest.take()) resting.push(link.end());
    await new Promise<void>((resolve) => {
      this.#onReturn = () => {
        if (this.#lent.size === 0) resolve();
      };
      this.#onReturn();
    });
    clearTimeout(timer);
    await Promise.all(resting);
  }
}

/** A pool that opens connections when they are wanted, at most `max`; who comes first is served first. */
export const createPool = (options: PoolOptions): Pool => new LinkPool(options);
