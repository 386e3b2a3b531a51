import { Worker } from "node:worker_threads";
import type { PosterSpec } from "./spec.ts";

/** What travels to a drawing thread, and back. */
export type DrawOrder = { id: number; spec: PosterSpec };
export type DrawAnswer = { id: number; base64: string } | { id: number; error: string };

/** Draws pictures away from the thread that answers requests. */
export interface PicturePool {
  /** The encoded picture as base64. Waits its turn; rejects when drawing fails or the pool closes. */
  draw(spec: PosterSpec): Promise<string>;
  close(): Promise<void>;
}

type Job = { order: DrawOrder; resolve(base64: string): void; reject(error: Error): void };
type Seat = { worker: Worker; job: Job | undefined };

/** A pool of at most `size` threads, started when first needed; an idle one does not keep the process alive. */
export function createPicturePool(size = 2): PicturePool {
  const seats: Seat[] = [];
  const waiting: Job[] = [];
  let nextId = 1;
  let isClosed = false;

  const dispatch = () => {
    while (waiting.length > 0) {
      const seat = seats.find((candidate) => candidate.job === undefined) ?? openSeat();
      const job = seat && waiting.shift();
      if (!seat || !job) return;
      seat.job = job;
      seat.worker.ref();
      seat.worker.postMessage(job.order);
    }
  };
  const release = (seat: Seat): Job | undefined => {
    const { job } = seat;
    seat.job = undefined;
    seat.worker.unref();
    return job;
  };
  const openSeat = (): Seat | undefined => {
    if (seats.length >= size || isClosed) return undefined;
    const seat: Seat = { worker: new Worker(new URL("./draw-worker.ts", import.meta.url)), job: undefined };
    seat.worker.on("message", (answer: DrawAnswer) => {
      settle(release(seat), answer);
      dispatch();
    });
    seat.worker.on("error", (error) => dismiss(seat, asError(error)));
    seat.worker.on("exit", () => dismiss(seat, new Error("The drawing thread ended")));
    seats.push(seat);
    return seat;
  };
  const dismiss = (seat: Seat, error: Error) => {
    if (seats.includes(seat)) seats.splice(seats.indexOf(seat), 1);
    release(seat)?.reject(error);
    dispatch();
  };

  return {
    draw: (spec) => {
      if (isClosed) return Promise.reject(new Error("The picture pool is closed"));
      return new Promise((resolve, reject) => {
        waiting.push({ order: { id: nextId++, spec }, resolve, reject });
        dispatch();
      });
    },
    async close() {
      isClosed = true;
      for (const job of waiting.splice(0)) job.reject(new Error("The picture pool is closed"));
      await Promise.all(seats.map(({ worker }) => worker.terminate()));
    },
  };
}

function settle(job: Job | undefined, answer: DrawAnswer): void {
  if ("error" in answer) job?.reject(new Error(answer.error));
  else job?.resolve(answer.base64);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
