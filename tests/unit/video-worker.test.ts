import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Asked, askWorker, Cancelled, DEADLINE_MS, type Telling } from "#components/videos/ask-worker.ts";

/** What stands at the browser's end of a worker: it says what a test lets it say. */
class Line extends EventTarget {
  readonly asked: Asked[] = [];
  isEnded = false;

  postMessage(asked: Asked): void {
    this.asked.push(asked);
  }

  terminate(): void {
    this.isEnded = true;
  }

  tell(told: Telling): void {
    this.dispatchEvent(new MessageEvent("message", { data: told }));
  }

  /** The number of the question that was asked at a place, from 0. */
  turn(at = 0): number {
    return this.asked[at]?.turn ?? -1;
  }
}

const open = (): { line: Line; worker: Worker } => {
  const line = new Line();
  return { line, worker: line as unknown as Worker };
};

const ANALYSE = { question: { type: "analyse", selected: [1] }, wanted: "analysis" } as const;
const analysis = (totalVideos: number) => ({ totalVideos }) as never;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("R-VID-03 progress on the way, then the answer", async () => {
  const { line, worker } = open();
  const shares: number[] = [];
  const answer = askWorker(worker, { ...ANALYSE, onProgress: (share) => shares.push(share) });
  const turn = line.turn();
  line.tell({ type: "progress", share: 0.5, turn });
  line.tell({ type: "analysis", analysis: analysis(3), turn });
  await expect(answer).resolves.toMatchObject({ analysis: { totalVideos: 3 } });
  expect([shares, line.isEnded]).toEqual([[0.5], false]);
});

test("two questions at once get their own answers, in whatever order they come", async () => {
  const { line, worker } = open();
  const first = askWorker(worker, ANALYSE);
  const second = askWorker(worker, ANALYSE);
  line.tell({ type: "analysis", analysis: analysis(2), turn: line.turn(1) });
  line.tell({ type: "analysis", analysis: analysis(1), turn: line.turn(0) });
  await expect(first).resolves.toMatchObject({ analysis: { totalVideos: 1 } });
  await expect(second).resolves.toMatchObject({ analysis: { totalVideos: 2 } });
});

test("R-VID-25 a failure that the worker tells of is said in its words, and it can be asked again", async () => {
  const { line, worker } = open();
  const answer = askWorker(worker, ANALYSE);
  line.tell({ type: "failed", message: "out of memory", turn: line.turn() });
  await expect(answer).rejects.toThrow("out of memory");
  expect(line.isEnded).toBe(false);
});

test("R-VID-25 after the deadline the worker is ended, with a sentence that says so", async () => {
  const { line, worker } = open();
  const answer = askWorker(worker, ANALYSE).catch((error: Error) => error.message);
  await vi.advanceTimersByTimeAsync(DEADLINE_MS - 1);
  expect(line.isEnded).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await answer).toContain("longer than 20 seconds and was stopped");
  expect(line.isEnded).toBe(true);
});

test("a cancelled question ends the worker at once; an aborted one is not even waited for", async () => {
  const { line, worker } = open();
  const abort = new AbortController();
  const answer = askWorker(worker, { ...ANALYSE, signal: abort.signal });
  abort.abort();
  await expect(answer).rejects.toBeInstanceOf(Cancelled);
  expect(line.isEnded).toBe(true);
  const late = open();
  await expect(askWorker(late.worker, { ...ANALYSE, signal: abort.signal })).rejects.toBeInstanceOf(Cancelled);
});

test("a worker that cannot be started is a sentence too", async () => {
  const { line, worker } = open();
  const answer = askWorker(worker, ANALYSE);
  line.dispatchEvent(new Event("error"));
  await expect(answer).rejects.toThrow("could not be started");
  expect(line.isEnded).toBe(true);
});
