import { SECOND_MS } from "./time.ts";

/** A subscription to a name. A signal is remembered until the next `wait`. */
export interface SignalSubscription {
  /** Returns true for a signal, false after `ms` or an abort. */
  wait(ms: number, signal?: AbortSignal): Promise<boolean>;
  close(): void;
}

/** Wakes waiting calls of this process. Signals only shorten waits; subscribers must check the state themselves. */
export interface Signals {
  emit(name: string): void;
  subscribe(name: string): SignalSubscription;
}

export const createSignals = (): Signals => {
  const wakers = new Map<string, () => void>();
  return {
    emit: (name) => wakers.get(name)?.(),
    subscribe: (name) => {
      let isEmitted = false;
      let wake = () => {};
      wakers.set(name, () => {
        isEmitted = true;
        wake();
      });
      return {
        wait: (ms, signal) =>
          new Promise((resolve) => {
            const end = () => {
              clearTimeout(timer);
              signal?.removeEventListener("abort", end);
              wake = () => {};
              resolve(isEmitted);
              isEmitted = false;
            };
            const timer = setTimeout(end, ms);
            wake = end;
            signal?.addEventListener("abort", end, { once: true });
            if (isEmitted || signal?.aborted) end();
          }),
        close: () => wakers.delete(name),
      };
    },
  };
};

interface ConcurrencyLimiter {
  /** Runs `work` when there is capacity for its `weight`. `isUrgent`: a user is waiting, so it may pass other work. */
  run<R>(weight: number, work: () => Promise<R>, options?: { isUrgent?: boolean }): Promise<R>;
}

interface Waiting {
  weight: number;
  start: () => void;
}

/** How many urgent items may pass waiting ones before one of those runs. */
const MAX_OVERTAKES = 8;

const createQueues = () => {
  const [urgent, normal]: [Waiting[], Waiting[]] = [[], []];
  let overtakes = 0;
  const nextQueue = () => (urgent.length > 0 && (overtakes < MAX_OVERTAKES || normal.length === 0) ? urgent : normal);
  return {
    add: (item: Waiting, isUrgent: boolean) => (isUrgent ? urgent : normal).push(item),
    first: () => nextQueue()[0],
    takeFirst: (): void => {
      const queue = nextQueue();
      queue.shift();
      overtakes = queue === urgent && normal.length > 0 ? overtakes + 1 : 0;
    },
  };
};

export const createConcurrencyLimiter = (capacity: number): ConcurrencyLimiter => {
  const queues = createQueues();
  let usedWeight = 0;
  const startNext = (): void => {
    for (let next = queues.first(); next && usedWeight + next.weight <= capacity; next = queues.first()) {
      queues.takeFirst();
      usedWeight += next.weight;
      next.start();
    }
  };
  return {
    run: async (requestedWeight, work, { isUrgent = false } = {}) => {
      const weight = Math.min(Math.max(requestedWeight, 0), capacity);
      await new Promise<void>((start) => {
        queues.add({ weight, start }, isUrgent);
        startNext();
      });
      try {
        return await work();
      } finally {
        usedWeight -= weight;
        startNext();
      }
    },
  };
};

/** Works on all items, `atOnce` at a time. No further item starts after a failure. @throws the first failure */
export const forEachConcurrently = async <T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> => {
  const rest = items[Symbol.iterator]();
  let hasFailed = false;
  const workThrough = async (): Promise<void> => {
    for (let next = rest.next(); !next.done && !hasFailed; next = rest.next()) {
      try {
        await work(next.value);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, workThrough));
};

interface QueueLimits {
  atOnce: number;
  waitingMax: number;
  waitMaxMs: number;
}

/** `refusal` makes the error for work that finds the queue full or waits too long in it; such work never starts. */
type BoundedQueue = <R>(work: () => Promise<R>, refusal: () => Error) => Promise<R>;

export const createBoundedQueue = ({ atOnce, waitingMax, waitMaxMs }: QueueLimits): BoundedQueue => {
  const waiting = new Set<() => void>();
  let running = 0;

  const waitForTurn = (refusal: () => Error): Promise<void> =>
    new Promise((resolve, reject) => {
      if (waiting.size >= waitingMax) return reject(refusal());
      const timer = setTimeout(() => {
        waiting.delete(start);
        reject(refusal());
      }, waitMaxMs);
      const start = () => {
        clearTimeout(timer);
        waiting.delete(start);
        resolve();
      };
      waiting.add(start);
    });

  return async (work, refusal) => {
    if (running < atOnce) running += 1;
    else await waitForTurn(refusal);
    try {
      return await work();
    } finally {
      // Directly to the next in line, so a new caller cannot take its place.
      const [next] = waiting;
      if (next) next();
      else running -= 1;
    }
  };
};

interface Shared<T> {
  load: () => Promise<T>;
  keepMs: (answer: T) => number;
  nowMs?: () => number;
}

/** Callers share a pending result for this long; one that takes longer may never arrive. */
const PENDING_MAX_MS = 30 * SECOND_MS;

/** Shares one result between all callers until it expires. Nothing is kept when `load` rejects. */
export const sharedResult = <T>({ load, keepMs, nowMs = Date.now }: Shared<T>): (() => Promise<T>) => {
  let shared: { answer: Promise<T>; untilMs: number } | undefined;

  return () => {
    if (shared && nowMs() < shared.untilMs) return shared.answer;
    const entry = { answer: load(), untilMs: nowMs() + PENDING_MAX_MS };
    shared = entry;
    entry.answer.then(
      (answer) => {
        entry.untilMs = nowMs() + keepMs(answer);
      },
      () => {
        entry.untilMs = Number.NEGATIVE_INFINITY;
      },
    );
    return entry.answer;
  };
};

/** Runs the work of each key one after another, whether or not the work before it failed. */
export const createTurns = <K>(): (<R>(key: K, work: () => Promise<R>) => Promise<R>) => {
  const last = new Map<K, Promise<void>>();
  return async (key, work) => {
    const result = (last.get(key) ?? Promise.resolve()).then(work);
    const over = result.then(
      () => {},
      () => {},
    );
    last.set(key, over);
    try {
      return await result;
    } finally {
      if (last.get(key) === over) last.delete(key);
    }
  };
};
