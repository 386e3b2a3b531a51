import { Worker } from "node:worker_threads";
import type { PosterSpec } from "./spec.ts";

/** What travels to a drawing thread, and back. */
export type DrawOrder = { id: number; spec: PosterSpec };
export type DrawAnswer = { id: number; base64: string } | { id: number; error: string };

type Job = { order: DrawOrder; resolve(base64: string): void; reject(error: Error): void };
type Seat = { worker: Worker; job: Job | undefined };

/**
 * Draws pictures away from the thread that answers requests, on at most `size` threads started when first needed.
 * An idle thread does not keep the process alive.
 */
export class PicturePool {
  readonly #size: number;
  readonly #seats: Seat[] = [];
  readonly #waiting: Job[] = [];
  #nextId = 1;
  #isClosed = false;

  constructor(size = 2) {
    this.#size = size;
  }

  /** The encoded picture as base64. Waits its turn; rejects when drawing fails or the pool closes. */
  draw(spec: PosterSpec): Promise<string> {
    if (this.#isClosed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ order: { id: this.#nextId++, spec }, resolve, reject });
      this.#dispatch();
    });
  }

  /** Ends the threads; what waits or is being drawn is rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#waiting.splice(0)) job.reject(closedError());
    await Promise.all(this.#seats.map(({ worker }) => worker.terminate()));
  }

  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const seat = this.#seats.find(({ job }) => job === undefined) ?? this.#openSeat();
      const job = seat && this.#waiting.shift();
      if (!seat || !job) return;
      seat.job = job;
      seat.worker.ref();
      seat.worker.postMessage(job.order);
    }
  }

  #openSeat(): Seat | undefined {
    if (this.#seats.length >= this.#size || this.#isClosed) return undefined;
    const seat: Seat = { worker: new Worker(new URL("./draw-worker.ts", import.meta.url)), job: undefined };
    seat.worker.on("message", (answer: DrawAnswer) => {
      settle(release(seat), answer);
      this.#dispatch();
    });
    seat.worker.on("error", (error) => this.#dismiss(seat, asError(error)));
    seat.worker.on("exit", () => this.#dismiss(seat, new Error("The drawing thread ended")));
    this.#seats.push(seat);
    return seat;
  }

  #dismiss(seat: Seat, error: Error): void {
    if (this.#seats.includes(seat)) this.#seats.splice(this.#seats.indexOf(seat), 1);
    release(seat)?.reject(error);
    this.#dispatch();
  }
}

function release(seat: Seat): Job | undefined {
  const { job } = seat;
  seat.job = undefined;
  seat.worker.unref();
  return job;
}

function settle(job: Job | undefined, answer: DrawAnswer): void {
  if ("error" in answer) job?.reject(new Error(answer.error));
  else job?.resolve(answer.base64);
}

function closedError(): Error {
  return new Error("The picture pool is closed");
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
