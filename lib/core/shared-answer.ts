import { SECOND_MS } from "./time.ts";

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
