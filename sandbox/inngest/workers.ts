import { EventEmitter } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { Logger, runMigrations, runTaskList, type TaskList, type WorkerEvents, type WorkerPool } from "graphile-worker";
import { advance } from "./advance.ts";
import { wake } from "./apply-answer.ts";
import type { Engine } from "./engine.ts";
import type { Liveness } from "./liveness.ts";
import { routeEvents } from "./route.ts";
import { isRecord } from "./values.ts";

/** The queue's workers in this process. */
export interface Workers {
  /** Takes no more jobs and waits for the running ones; after `drainMs` their calls are cut and come due again. */
  stop(): Promise<void>;
}

/** How the workers run. */
export interface WorkerSettings {
  /** Calls at a time. */
  concurrency: number;
  drainMs: number;
}

/** Due jobs are looked for this often; a job that is due at once is announced and does not wait. */
const POLL_INTERVAL_MS = 50;

/** Creates or updates graphile-worker's own schema. */
export async function migrateQueue(engine: Engine): Promise<void> {
  await runMigrations({ pgPool: engine.db.pool, schema: engine.db.queueSchema, logger: loggerFor(engine) });
}

/** Starts working. Should the pool stop by itself (the database was gone), it is replaced. */
export function startWorkers(engine: Engine, liveness: Liveness, settings: WorkerSettings): Workers {
  let pool: WorkerPool | undefined;
  let isStopping = false;

  async function superviseUntilStopped(): Promise<void> {
    while (!isStopping) {
      pool = startPool(engine, liveness, settings);
      try {
        await pool.promise;
      } catch (error) {
        engine.log(`executor: its queue stopped: ${String(error)}`);
      }
      await liveness.retire(pool.id);
      if (!isStopping) await delay(500);
    }
  }

  const supervision = superviseUntilStopped();
  return {
    async stop() {
      isStopping = true;
      if (pool?._active) await pool.gracefulShutdown("The executor is shutting down");
      await supervision;
    },
  };
}

function startPool(engine: Engine, liveness: Liveness, { concurrency, drainMs }: WorkerSettings): WorkerPool {
  const events: WorkerEvents = new EventEmitter();
  events.on("pool:create", ({ workerPool }) => liveness.register(workerPool.id));
  return runTaskList(
    {
      schema: engine.db.queueSchema,
      concurrency,
      pollInterval: POLL_INTERVAL_MS,
      useNodeTime: true,
      noHandleSignals: true,
      gracefulShutdownAbortTimeout: drainMs,
      logger: loggerFor(engine),
      events,
      preset: { worker: { localQueue: { size: concurrency }, completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    },
    tasksOf(engine),
    engine.db.pool,
  );
}

function tasksOf(engine: Engine): TaskList {
  const { db } = engine;
  return {
    advance: (payload, { abortSignal }) => {
      const ref = {
        runId: text(payload, "runId"),
        target: text(payload, "target"),
        generation: number(payload, "generation"),
      };
      return advance(engine, ref, abortSignal ?? new AbortController().signal);
    },
    wake: (payload) => {
      const sleep = { runId: text(payload, "runId"), stepId: text(payload, "stepId") };
      return db.persist(() => db.transaction((tx) => wake(tx, engine, sleep)));
    },
    route: (payload) => {
      const eventIds = isRecord(payload) && Array.isArray(payload.eventIds) ? payload.eventIds.map(String) : [];
      return db.persist(() => db.transaction((tx) => routeEvents(tx, engine, eventIds)));
    },
  };
}

/** Only what went wrong is worth a line; the queue reports each job as info. */
function loggerFor(engine: Engine): Logger {
  return new Logger(() => (level, message) => {
    if (level === "error" || level === "warning") engine.log(`executor queue: ${message}`);
  });
}

function text(payload: unknown, key: string): string {
  const value = isRecord(payload) ? payload[key] : undefined;
  if (typeof value !== "string") throw new Error(`A job lacks "${key}"`);
  return value;
}

function number(payload: unknown, key: string): number {
  const value = isRecord(payload) ? payload[key] : undefined;
  if (typeof value !== "number") throw new Error(`A job lacks "${key}"`);
  return value;
}
