import { type Handle, serve } from "#sandbox/kit/serve.ts";
import { createTables, openDatabase } from "./database.ts";
import { Dispatch } from "./dispatch.ts";
import { type Engine, repeat } from "./engine.ts";
import { type CronMemory, tickCron } from "./events.ts";
import { createAppClient } from "./http.ts";
import { type Liveness, proveLife } from "./liveness.ts";
import { iso, messageOf } from "./protocol.ts";
import { syncOnce } from "./sync.ts";
import { createWeb } from "./web.ts";

/** How the durable executor is started. Only the first six have no default. */
export interface InngestOptions {
  port: number;
  host: string;
  databaseUrl: string;
  /** The whole address of the app's endpoint, e.g. `http://127.0.0.1:3000/api/inngest`. */
  appUrl: string;
  eventKey: string;
  /** Even-length hex, with or without a `signkey-…-` prefix; the same text as the app has. */
  signingKey: string;
  /** The executor's schema. */
  schema?: string;
  /** Calls to the app at a time. */
  concurrency?: number;
  /** Up to this much is added to a retry delay at random. */
  retryJitterSeconds?: number;
  /** Multiplies both; 1 is the real server's timing. */
  retryScale?: number;
  syncIntervalMs?: number;
  /** How long `close` waits for running calls. */
  drainMs?: number;
  /** After this long a statement is given up: its connection was cut, or it waits for something that does not come. */
  statementTimeoutMs?: number;
  /** The address that the app and people use, where that is not its own. */
  publicUrl?: string;
  log?(line: string): void;
}

const UNSYNCED_INTERVAL_MS = 250;
const TAKE_OVER_INTERVAL_MS = 500;
const CRON_INTERVAL_MS = 100;
const SWEEP_INTERVAL_MS = 600_000;
const SAME_LINE_INTERVAL_MS = 60_000;
const KEEP_MS = 7 * 86_400_000;
/** Few enough for one statement's time, however much there is in all. */
const SWEEP_BATCH = 1_000;

/**
 * Starts the durable executor: a server beside the app that plays Inngest's part of the protocol with its state in
 * PostgreSQL. It listens before the app does, asks the app for its functions until it answers, then works.
 * A database that is not there yet is waited for.
 * @throws when the port cannot be had, the database refuses the login, or it holds a newer layout.
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
  engine.requestSync = () => sync.soon();
  engine.nudge = () => dispatch?.nudge();
  const crons: CronMemory = new Map();
  const chores = [
    chore(engine, TAKE_OVER_INTERVAL_MS, () => takeOver(engine, liveness)),
    chore(engine, CRON_INTERVAL_MS, () => tickCron(engine, crons, Date.now())),
    chore(engine, SWEEP_INTERVAL_MS, () => sweep(engine, stopping.signal)),
  ];
  const end = async () => {
    stopping.abort();
    // What is under way must learn at once that it may not go on to its next call.
    await Promise.all([dispatch?.stop(), sync.stop(), ...chores.map((one) => one.stop())]);
    await server.close();
    await liveness.close().catch((error) => engine.log(`executor: it could not sign off: ${messageOf(error)}`));
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

/** Makes the tables, listens, and proves that it lives. Where that fails, whatever was opened is closed again. */
async function open(
  engine: Engine,
  { port, host, eventKey }: InngestOptions,
): Promise<{ server: Handle; liveness: Liveness }> {
  let server: Handle | undefined;
  try {
    await engine.db.persist(() => createTables(engine.db, engine.log));
    server = await serve(createWeb(engine, eventKey), { port, host });
    return { server, liveness: await proveLife(engine.db, server.url, engine.log) };
  } catch (error) {
    await server?.close();
    engine.app.close();
    await engine.db.close();
    throw error;
  }
}

function createEngine(options: InngestOptions): Engine {
  const { databaseUrl, schema = "executor", statementTimeoutMs } = options;
  const log = quietly(options.log ?? console.log);
  return {
    db: openDatabase({ databaseUrl, schema, statementTimeoutMs, log }),
    app: createAppClient(options.appUrl, options.signingKey),
    registry: { functions: new Map(), problems: [], syncedAtMs: undefined, failure: undefined },
    timing: { jitterSeconds: options.retryJitterSeconds ?? 30, scale: options.retryScale ?? 1 },
    nudge: () => {},
    requestSync: () => {},
    log,
  };
}

/** Work that is done again and again, whether it fails or not. */
function chore(engine: Engine, intervalMs: number, work: () => Promise<void>) {
  const turn = () => work().catch((error) => engine.log(`executor: a chore failed: ${messageOf(error)}`));
  return repeat(turn, () => intervalMs);
}

async function takeOver(engine: Engine, liveness: Liveness): Promise<void> {
  const dead = await liveness.releaseDead();
  if (dead === 0) return;
  engine.log(`executor: took over the work of ${dead} executor(s) that died`);
  engine.nudge();
}

const OLD_RUNS = "delete from run where id = any(array(select id from run where ended_at < $1 limit $2))";
const OLD_EVENTS = `delete from event where id = any(array(
  select id from event where received_at < $1 and routed
    and not exists (select 1 from run where run.event_id = event.id) limit $2))`;

/** Deletes runs that ended long ago, and events that old which no run is left of; in batches. */
async function sweep({ db }: Engine, signal: AbortSignal): Promise<void> {
  const before = iso(Date.now() - KEEP_MS);
  for (const statement of [OLD_RUNS, OLD_EVENTS]) {
    let deleted: number | null = SWEEP_BATCH;
    while (deleted === SWEEP_BATCH && !signal.aborted) {
      deleted = (await db.query(statement, [before, SWEEP_BATCH])).rowCount;
    }
  }
}

/** The same line at most once a minute: a hundred runs may be held up by one cause. */
function quietly(log: (line: string) => void): (line: string) => void {
  const loggedAt = new Map<string, number>();
  return (line) => {
    const nowMs = performance.now();
    const lastMs = loggedAt.get(line);
    if (lastMs !== undefined && nowMs - lastMs < SAME_LINE_INTERVAL_MS) return;
    if (loggedAt.size > 500) loggedAt.clear();
    loggedAt.set(line, nowMs);
    log(line);
  };
}
