import "server-only";
import { subscribe } from "node:diagnostics_channel";
import type { Server } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { closeHouse, stopWork } from "#lib/composition.ts";
import { messageOf } from "#lib/core/errors.ts";
import { createWideEvent, writeEvent } from "#lib/core/log.ts";

/** How long requests, and with them steps of durable functions, may take to finish once the process was told to end. */
const DRAIN_MS = 9_000;
/** And then the database's connections. In all less than the supervisor's patience (scripts/services.ts). */
const CLOSE_MS = 2_000;
const LOOK_MS = 50;

type Ending = () => void | Promise<void>;

interface Shutdown {
  servers: Set<Server>;
  endings: Set<Ending>;
  isBegun: boolean;
}

// Next bundles a module once per layer: there is one shutdown per process.
const PLACE = Symbol.for("app.shutdown");
const globalPlace = globalThis as { [PLACE]?: Shutdown };

const shutdown = (): Shutdown => {
  globalPlace[PLACE] ??= { servers: new Set(), endings: new Set(), isBegun: false };
  return globalPlace[PLACE];
};

/** Whether this process was told to end: it takes on nothing new. */
export const isStopping = (): boolean => shutdown().isBegun;

/**
 * Has something done as soon as this process is told to end, before its requests have finished: streams are ended,
 * for instance, which would otherwise keep it alive.
 * @returns takes it back
 */
export const onShutdown = (ending: Ending): (() => void) => {
  shutdown().endings.add(ending);
  return () => void shutdown().endings.delete(ending);
};

/** Stops listening and waits until each request has its answer. Kept-alive connections close as they fall idle. */
const drainServer = async (server: Server, signal: AbortSignal): Promise<void> => {
  let isClosed = !server.listening;
  if (!isClosed) {
    server.close(() => {
      isClosed = true;
    });
  }
  while (!isClosed && !signal.aborted) {
    server.closeIdleConnections();
    await delay(LOOK_MS);
  }
  server.closeAllConnections();
};

const drain = async (name: NodeJS.Signals): Promise<void> => {
  const { servers, endings } = shutdown();
  const event = createWideEvent({ at: new Date().toISOString(), shutdown: name });
  const begunMs = performance.now();
  const bound = AbortSignal.timeout(DRAIN_MS);
  stopWork();
  const note = (error: unknown) => void event.set({ problem: messageOf(error) });
  // Side by side: an ending that hangs, for the database is away, takes no time from the requests.
  const ended = [...endings].map(async (ending) => ending()).map((ending) => ending.catch(note));
  await Promise.all([
    ...[...servers].map((server) => drainServer(server, bound)),
    Promise.race([Promise.all(ended), delay(DRAIN_MS, undefined, { ref: false })]),
  ]);
  await Promise.race([closeHouse(), delay(CLOSE_MS, undefined, { ref: false })]);
  event.set({ ms: Math.round(performance.now() - begunMs) });
  writeEvent(event);
};

/**
 * Takes SIGTERM and SIGINT over from Next, whose own handling waits without bound for every open connection and then
 * ends with 143: new connections stop, running requests and steps finish (bounded), then the pool closes; exit code 0.
 */
export const drainOnSignals = (): void => {
  subscribe("http.server.request.start", (message) => {
    shutdown().servers.add((message as { server: Server }).server);
  });
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    process.removeAllListeners(name);
    process.on(name, () => {
      if (shutdown().isBegun) return;
      shutdown().isBegun = true;
      drain(name).then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`${messageOf(error)}\n`);
          process.exit(1);
        },
      );
    });
  }
};
