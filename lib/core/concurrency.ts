import { SECOND_MS } from "./time.ts";

/** One listener's ear for a name. A ring is remembered until it is waited for. */
export interface Ear {
  /** True when the name was rung, false when the time was over or the signal came. */
  wait(ms: number, signal?: AbortSignal): Promise<boolean>;
  close(): void;
}

/** Wakes who waits in this process. A ring saves waiting and decides nothing: whoever hears it looks for himself. */
export interface Bell {
  ring(name: string): void;
  listen(name: string): Ear;
}

/** A bell of its own. */
export const createBell = (): Bell => {
  const ears = new Map<string, () => void>();
  return {
    ring: (name) => ears.get(name)?.(),
    listen: (name) => {
      let hasRung = false;
      let wake = () => {};
      ears.set(name, () => {
        hasRung = true;
        wake();
      });
      return {
        wait: (ms, signal) =>
          new Promise((resolve) => {
            const end = () => {
              clearTimeout(timer);
              signal?.removeEventListener("abort", end);
              wake = () => {};
              resolve(hasRung);
              hasRung = false;
            };
            const timer = setTimeout(end, ms);
            wake = end;
            signal?.addEventListener("abort", end, { once: true });
            if (hasRung || signal?.aborted) end();
          }),
        close: () => ears.delete(name),
      };
    },
  };
};

/** Lets so much work go on at a time; the rest waits in the order in which it came. */
interface BoundedWork {
  /**
   * Runs `work` when there is room for its `weight`; one that is heavier than all the room runs alone. `isUrgent`: somebody
   * looks and waits; it goes before what is not, but not so often that the others never have their turn.
   */
  run<R>(weight: number, work: () => Promise<R>, options?: { isUrgent?: boolean }): Promise<R>;
}

interface Waiting {
  weight: number;
  begin: () => void;
}

/** So many urgent ones may pass the others that wait, before one of these has its turn. */
const PASSES_MAX = 8;

/** Those who wait, in two lines. */
const createLines = () => {
  const [urgent, patient]: [Waiting[], Waiting[]] = [[], []];
  let passes = 0;
  const lineOfNext = () => (urgent.length > 0 && (passes < PASSES_MAX || patient.length === 0) ? urgent : patient);
  return {
    add: (one: Waiting, isUrgent: boolean) => (isUrgent ? urgent : patient).push(one),
    first: () => lineOfNext()[0],
    takeFirst: (): void => {
      const line = lineOfNext();
      line.shift();
      passes = line === urgent && patient.length > 0 ? passes + 1 : 0;
    },
  };
};

/** Room for work of one process: the sum of the weights that go on at a time stays within `capacity`. */
export const createBoundedWork = (capacity: number): BoundedWork => {
  const lines = createLines();
  let taken = 0;
  const beginNext = (): void => {
    for (let next = lines.first(); next && taken + next.weight <= capacity; next = lines.first()) {
      lines.takeFirst();
      taken += next.weight;
      next.begin();
    }
  };
  return {
    run: async (asked, work, { isUrgent = false } = {}) => {
      const weight = Math.min(Math.max(asked, 0), capacity);
      await new Promise<void>((begin) => {
        lines.add({ weight, begin }, isUrgent);
        beginNext();
      });
      try {
        return await work();
      } finally {
        taken -= weight;
        beginNext();
      }
    },
  };
};

/** How an answer is asked for and how long it serves. */
interface Shared<T> {
  ask: () => Promise<T>;
  /** How long this answer serves, counted from when it was there. */
  keepMs: (answer: T) => number;
  /** The present moment in milliseconds. */
  nowMs?: () => number;
}

/** Who asks waits for an answer that is under way; one that took longer than this may never come. */
const PATIENCE_MS = 30 * SECOND_MS;

/**
 * One answer for everybody who asks at the same time or shortly after: however many ask, the source is asked once, and
 * again only when what it said has served its time. An answer that tells of a failure is kept like any other; when
 * `ask` rejects nothing is kept.
 */
export const sharedAnswer = <T>({ ask, keepMs, nowMs = Date.now }: Shared<T>): (() => Promise<T>) => {
  let shared: { answer: Promise<T>; untilMs: number } | undefined;

  return () => {
    if (shared && nowMs() < shared.untilMs) return shared.answer;
    const mine = { answer: ask(), untilMs: nowMs() + PATIENCE_MS };
    shared = mine;
    mine.answer.then(
      (answer) => {
        mine.untilMs = nowMs() + keepMs(answer);
      },
      () => {
        mine.untilMs = Number.NEGATIVE_INFINITY;
      },
    );
    return mine.answer;
  };
};
