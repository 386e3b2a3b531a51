import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  Canceled,
  callWorker,
  DEADLINE_MS,
  type WorkerRequestMessage,
  type WorkerResponseMessage,
} from "#components/videos/worker-client.ts";

/** A fake `Worker`; tests decide its responses. */
class FakeWorker extends EventTarget {
  readonly sent: WorkerRequestMessage[] = [];
  isEnded = false;

  postMessage(sent: WorkerRequestMessage): void {
    this.sent.push(sent);
  }

  terminate(): void {
    this.isEnded = true;
  }

  respond(response: WorkerResponseMessage): void {
    this.dispatchEvent(new MessageEvent("message", { data: response }));
  }

  /** The id of the request at an index, from 0. */
  requestId(at = 0): number {
    return this.sent[at]?.requestId ?? -1;
  }
}

const open = (): { fake: FakeWorker; worker: Worker } => {
  const fake = new FakeWorker();
  return { fake, worker: fake as unknown as Worker };
};

const ANALYSE = { request: { type: "analyze", selected: [1] }, responseType: "analysis" } as const;
const analysis = (totalVideos: number) => ({ totalVideos }) as never;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("R-VID-03 reports progress, then the response", async () => {
  const { fake, worker } = open();
  const shares: number[] = [];
  const answer = callWorker(worker, { ...ANALYSE, onProgress: (share) => shares.push(share) });
  const requestId = fake.requestId();
  fake.respond({ type: "progress", share: 0.5, requestId });
  fake.respond({ type: "analysis", analysis: analysis(3), requestId });
  await expect(answer).resolves.toMatchObject({ analysis: { totalVideos: 3 } });
  expect([shares, fake.isEnded]).toEqual([[0.5], false]);
});

test("concurrent requests get their own responses in any order", async () => {
  const { fake, worker } = open();
  const first = callWorker(worker, ANALYSE);
  const second = callWorker(worker, ANALYSE);
  fake.respond({ type: "analysis", analysis: analysis(2), requestId: fake.requestId(1) });
  fake.respond({ type: "analysis", analysis: analysis(1), requestId: fake.requestId(0) });
  await expect(first).resolves.toMatchObject({ analysis: { totalVideos: 1 } });
  await expect(second).resolves.toMatchObject({ analysis: { totalVideos: 2 } });
});

test("R-VID-25 a failure reported by the worker rejects with its message, and the worker stays usable", async () => {
  const { fake, worker } = open();
  const answer = callWorker(worker, ANALYSE);
  fake.respond({ type: "failed", message: "out of memory", requestId: fake.requestId() });
  await expect(answer).rejects.toThrow("out of memory");
  expect(fake.isEnded).toBe(false);
});

test("R-VID-25 after the deadline the worker is terminated with a message", async () => {
  const { fake, worker } = open();
  const answer = callWorker(worker, ANALYSE).catch((error: Error) => error.message);
  await vi.advanceTimersByTimeAsync(DEADLINE_MS - 1);
  expect(fake.isEnded).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await answer).toContain("longer than 20 seconds and was stopped");
  expect(fake.isEnded).toBe(true);
});

test("canceling terminates the worker at once; an already aborted request is not sent", async () => {
  const { fake, worker } = open();
  const abort = new AbortController();
  const answer = callWorker(worker, { ...ANALYSE, signal: abort.signal });
  abort.abort();
  await expect(answer).rejects.toBeInstanceOf(Canceled);
  expect(fake.isEnded).toBe(true);
  const late = open();
  await expect(callWorker(late.worker, { ...ANALYSE, signal: abort.signal })).rejects.toBeInstanceOf(Canceled);
});

test("a worker that cannot start rejects with a message", async () => {
  const { fake, worker } = open();
  const answer = callWorker(worker, ANALYSE);
  fake.dispatchEvent(new Event("error"));
  await expect(answer).rejects.toThrow("could not be started");
  expect(fake.isEnded).toBe(true);
});
