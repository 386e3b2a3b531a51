import "server-only";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { createBoundedQueue } from "#lib/core/concurrency.ts";
import { AppError } from "#lib/core/errors.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import type { SheetReading } from "./engine/reading.ts";
import type { ThreadTask } from "./sheet-worker.ts";

const WORK_MAX_MS = 30 * SECOND_MS;
/** A sheet with 5,000 full rows needs a third of it. */
const HEAP_MAX_MB = 512;

type Outcome<R> = { kind: "finished"; result: R } | { kind: "too_slow" | "out_of_memory" };

/** Run from its source, as scripts are: a bundler would need a second entry. */
const workerPath = (): string =>
  join(/* turbopackIgnore: true */ process.cwd(), "lib", "features", "spreadsheets", "sheet-worker.ts");

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";

const runInThread = <R>(task: ThreadTask, workMaxMs: number): Promise<Outcome<R>> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(/* turbopackIgnore: true */ workerPath(), {
      name: "sheets",
      workerData: task,
      execArgv: ["--conditions=react-server"],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB },
    });
    const end = (outcome: Outcome<R>): void => {
      clearTimeout(watch);
      resolve(outcome);
      void worker.terminate();
    };
    const watch = setTimeout(() => end({ kind: "too_slow" }), workMaxMs);
    worker.on("message", (result: R) => end({ kind: "finished", result }));
    worker.on("error", (error) => {
      if (isOutOfMemory(error)) return end({ kind: "out_of_memory" });
      clearTimeout(watch);
      reject(error);
    });
    worker.on("exit", () => {
      clearTimeout(watch);
      reject(new Error("The thread for sheets ended."));
    });
  });

const queue = createBoundedQueue({ atOnce: 2, waitingMax: 20, waitMaxMs: WORK_MAX_MS });

/** In a thread of its own, with bounds on time and memory. @throws AppError `busy` when many others wait */
const inQueue = <R>(task: ThreadTask, workMaxMs = WORK_MAX_MS): Promise<Outcome<R>> =>
  queue(
    () => runInThread<R>(task, workMaxMs),
    () =>
      new AppError("busy", { text: "We're processing a lot of spreadsheets right now. Please try again in a minute." }),
  );

/** Reads a file on this machine's disk; stopped after `workMaxMs`. @throws AppError `busy` */
export const readSheet = async (path: string, workMaxMs?: number): Promise<SheetReading> => {
  const outcome = await inQueue<SheetReading>({ kind: "read", path }, workMaxMs);
  if (outcome.kind === "finished") return outcome.result;
  return { kind: "refused", fault: outcome.kind === "too_slow" ? "too_slow" : "bomb" };
};

/** Makes a file of an export. @throws AppError `busy`, `internal` */
export const writeFileInThread = async (
  task: Exclude<ThreadTask, { kind: "read" }>,
): Promise<Uint8Array<ArrayBuffer>> => {
  const outcome = await inQueue<Uint8Array<ArrayBuffer>>(task);
  if (outcome.kind === "finished") return new Uint8Array(outcome.result);
  throw new AppError("internal", { cause: new Error(`The export was stopped: ${outcome.kind}`) });
};
