import "server-only";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Drawing, DrawingRequest } from "./template-drawing.ts";

export interface ThreadRequest {
  id: number;
  request: DrawingRequest;
}

export type ThreadResponse =
  | { id: number; kind: "drawn"; drawing: Drawing }
  | { id: number; kind: "failed"; problem: string };

interface Pending {
  resolve(drawing: Drawing): void;
  reject(error: Error): void;
}

interface DrawingThread {
  draw(request: DrawingRequest): Promise<Drawing>;
}

/** Drawings take well under a second each, so a thread that is silent for this long hangs. */
const SILENCE_MAX_MS = 30_000;

/** Run from its source, as scripts are: a bundler would need a second entry. Resolved when called, like fonts. */
const workerPath = (): string =>
  join(/* turbopackIgnore: true */ process.cwd(), "lib", "integrations", "images", "template-worker.ts");

/**
 * `onEnd` is called once when the thread has ended; its pending drawings have failed then. A hanging thread is ended, so
 * that the next drawing starts another one.
 */
export const startThread = (onEnd: () => void, { silenceMaxMs = SILENCE_MAX_MS } = {}): DrawingThread => {
  const worker = new Worker(/* turbopackIgnore: true */ workerPath(), {
    name: "templates",
    execArgv: ["--conditions=react-server"],
  });
  const pending = new Map<number, Pending>();
  let lastId = 0;
  let watch: NodeJS.Timeout | undefined;
  const watchSilence = (): void => {
    clearTimeout(watch);
    if (pending.size > 0) watch = setTimeout(() => void worker.terminate(), silenceMaxMs);
  };
  const end = (error: Error): void => {
    clearTimeout(watch);
    onEnd();
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  };
  worker.on("message", (response: ThreadResponse) => {
    const waiting = pending.get(response.id);
    pending.delete(response.id);
    watchSilence();
    // An idle thread must not keep the process alive.
    if (pending.size === 0) worker.unref();
    if (response.kind === "drawn") waiting?.resolve(response.drawing);
    else waiting?.reject(new Error(response.problem));
  });
  worker.on("error", end);
  worker.on("exit", () => end(new Error("The thread that draws templates ended.")));
  worker.unref();
  return {
    draw: (request) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        pending.set(lastId, { resolve, reject });
        if (pending.size === 1) watchSilence();
        worker.ref();
        worker.postMessage({ id: lastId, request } satisfies ThreadRequest);
      }),
  };
};

// Next bundles a module once per layer; a global keeps one thread per process.
const THREAD_KEY = Symbol.for("app.template-thread");
const globals = globalThis as { [THREAD_KEY]?: DrawingThread | undefined };

/** Draws in the process's drawing thread, which is started when first needed and after a crash. */
export const drawInThread = (request: DrawingRequest): Promise<Drawing> => {
  const started = globals[THREAD_KEY];
  if (started) return started.draw(request);
  const thread = startThread(() => {
    if (globals[THREAD_KEY] === thread) globals[THREAD_KEY] = undefined;
  });
  globals[THREAD_KEY] = thread;
  return thread.draw(request);
};
