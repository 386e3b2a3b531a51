import { type Handle, serve } from "#sandbox/kit/serve.ts";
import { createTables, openDatabase } from "./database.ts";
import { Dispatch } from "./dispatch.ts";
import { type Engine, repeat } from "./engine.ts";
import { type NextTicks, tickCron } from "./events.ts";
import { syncOnce } from "./functions.ts";
import { createAppClient } from "./http.ts";
import { type Liveness, registerWorker } from "./liveness.ts";
import { iso, messageOf } from "./protocol.ts";
import { createWeb } from "./web.ts";

export interface InngestOptions {
  port: number;
  host: string;
  databaseUrl: string;
  /** The full URL of the app's endpoint, e.g. `http://127.0.0.1:3000/api/inngest`. */
  appUrl: string;
  eventKey: string;
  /** Even-length hex, with or without a `signkey-…-` prefix; the same value as in the app. */
  signingKey: string;
  schema?: string;
  concurrency?: number;
  /** Maximum random addition to a retry delay. */
  retryJitterSeconds?: number;
  /** Multiplies delay and jitter; 1 is the real server's timing. */
  retryScale?: number;
  syncIntervalMs?: number;
  /** How long `close` waits for running calls. */
  drainMs?: number;
  /** A statement that takes longer is canceled. */
  statementTimeoutMs?: number;
  /** The URL that the app and people use, if it differs from where the executor listens. */
  publicUrl?: string;
  log?(line: string): void;
}

const UNSYNCED_INTERVAL_MS = 250;
const RECOVERY_INTERVAL_MS = 500;
const CRON_INTERVAL_MS = 100;
const SWEEP_INTERVAL_MS = 600_000;
const LOG_REPEAT_INTERVAL_MS = 60_000;
const RETENTION_MS = 7 * 86_400_000;
/** Small enough for the statement timeout. */
const SWEEP_BATCH = 1_000;

/**
 * Starts the durable executor: Inngest's side of the protocol, its state in PostgreSQL. It may start before the app
 * and the database. @throws if the port is taken, the login refused, or the schema of a newer version.
 */
export async function startInngest(options: InngestOptions): Promise<Handle> {
  const { syncIntervalMs = 5_000, concurrency = 48, drainMs = 10_000 } = options;
  const engine = createEngine(options);
  const { server, liveness } = await open(engine, options);
  const ownOrigins = options.publicUrl === undefined ? [server.url] : [server.url, options.publicUrl];
  const stopping = new AbortController();
  let dispatch: Dispatch | undefined;
  const sync = repeat(
    async () => {
      await syncOnce(engine, ownOrigins, stopping.signal);
      const isReady = engine.registry.syncedAtMs !== undefined && !stopping.signal.aborted;
      if (isReady) dispatch ??= new Dispatch(engine, { workerId: liveness.id, concurrency, drainMs });
    },
    () => (engine.registry.syncedAtMs === undefined ? UNSYNCED_INTERVAL_MS : syncIntervalMs),
  );
  engine.requestSync = () => sync.runSoon();
  engine.pollNow = () => dispatch?.pollNow();
  const crons: NextTicks = new Map();
  const periodicTasks = [
    periodicTask(engine, RECOVERY_INTERVAL_MS, () => recoverCalls(engine, liveness)),
    periodicTask(engine, CRON_INTERVAL_MS, () => tickCron(engine, crons, Date.now())),
    periodicTask(engine, SWEEP_INTERVAL_MS, () => sweep(engine, stopping.signal)),
  ];
  const end = async () => {
    stopping.abort();
    // Stop everything at once, so that running work does not start another call.
    await Promise.all([dispatch?.stop(), sync.stop(), ...periodicTasks.map((task) => task.stop())]);
    await server.close();
    await liveness.close().catch((error) => engine.log(`executor: could not unregister: ${messageOf(error)}`));
    engine.app.close();
    await engine.db.close();
  };
  let ending: Promise<void> | undefined;
  const close = () => {
    ending ??= end();
    return ending;
  };
  return { url: server.url, port: server.port, close, [Symbol.asyncDispose]: close };
}

/** Creates the tables, listens and registers this executor; on failure closes what was opened. */
async function open(
  engine: Engine,
  { port, host, eventKey }: InngestOptions,
): Promise<{ server: Handle; liveness: Liveness }> {
  let server: Handle | undefined;
  try {
    await engine.db.retry(() => createTables(engine.db, engine.log));
    server = await serve(createWeb(engine, eventKey), { port, host });
    return { server, liveness: await registerWorker(engine.db, server.url, engine.log) };
  } catch (error) {
    await server?.close();
    engine.app.close();
    await engine.db.close();
    throw error;
  }
}

function createEngine(options: InngestOptions): Engine {
  const { databaseUrl, schema = "executor", statementTimeoutMs } = options;
  const log = rateLimited(options.log ?? console.log);
  return {
    db: openDatabase({ databaseUrl, schema, statementTimeoutMs, log }),
    app: createAppClient(options.appUrl, options.signingKey),
    registry: { functions: new Map(), problems: [], syncedAtMs: undefined, failure: undefined },
    timing: { jitterSeconds: options.retryJitterSeconds ?? 30, scale: options.retryScale ?? 1 },
    pollNow: () => {},
    requestSync: () => {},
    log,
  };
}

/** A task that repeats even if it fails. */
function periodicTask(engine: Engine, intervalMs: number, work: () => Promise<void>) {
  const task = () => work().catch((error) => engine.log(`executor: a periodic task failed: ${messageOf(error)}`));
  return repeat(task, () => intervalMs);
}

async function recoverCalls(engine: Engine, liveness: Liveness): Promise<void> {
  const dead = await liveness.releaseDead();
  if (dead === 0) return;
  engine.log(`executor: released the calls of ${dead} dead executor(s)`);
  engine.pollNow();
}

const OLD_RUNS = "delete from run where id = any(array(select id from run where ended_at < $1 limit $2))";
const OLD_EVENTS = `delete from event where id = any(array(
  select id from event where received_at < $1 and routed
    and not exists (select 1 from run where run.event_id = event.id) limit $2))`;

/** Deletes ended runs past retention, and events of that age without a run, in batches. */
async function sweep({ db }: Engine, signal: AbortSignal): Promise<void> {
  const before = iso(Date.now() - RETENTION_MS);
  for (const statement of [OLD_RUNS, OLD_EVENTS]) {
    let deleted: number | null = SWEEP_BATCH;
    while (deleted === SWEEP_BATCH && !signal.aborted) {
      deleted = (await db.query(statement, [before, SWEEP_BATCH])).rowCount;
    }
  }
}

/** Logs the same line at most once a minute: one cause may block a hundred runs. */
function rateLimited(log: (line: string) => void): (line: string) => void {
  const loggedAt = new Map<string, number>();
  return (line) => {
    const nowMs = performance.now();
    const lastMs = loggedAt.get(line);
    if (lastMs !== undefined && nowMs - lastMs < LOG_REPEAT_INTERVAL_MS) return;
    if (loggedAt.size > 500) loggedAt.clear();
    loggedAt.set(line, nowMs);
    log(line);
  };
}
