import "server-only";
import { subscribe } from "node:diagnostics_channel";
import type { Server } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { closeContainer, stopWork } from "#lib/composition.ts";
import { messageOf } from "#lib/core/errors.ts";
import { createWideEvent, writeEvent } from "#lib/core/log.ts";

/** For requests, including durable steps, after a stop signal. */
const DRAIN_MS = 9_000;
/** Together less than the supervisor's timeout (scripts/services.ts). */
const CLOSE_MS = 2_000;
const CHECK_MS = 50;

type ShutdownHook = () => void | Promise<void>;

interface Shutdown {
  servers: Set<Server>;
  hooks: Set<ShutdownHook>;
  isBegun: boolean;
}

// Next bundles modules once per layer; a global keeps one shutdown per process.
const GLOBAL_KEY = Symbol.for("app.shutdown");
const globalStore = globalThis as { [GLOBAL_KEY]?: Shutdown };

const shutdown = (): Shutdown => {
  globalStore[GLOBAL_KEY] ??= { servers: new Set(), hooks: new Set(), isBegun: false };
  return globalStore[GLOBAL_KEY];
};

export const isStopping = (): boolean => shutdown().isBegun;

/** Runs before open requests finish; for instance to end streams. @returns unregisters it */
export const onShutdown = (hook: ShutdownHook): (() => void) => {
  shutdown().hooks.add(hook);
  return () => void shutdown().hooks.delete(hook);
};

/** Keep-alive connections are closed once idle. */
const drainServer = async (server: Server, signal: AbortSignal): Promise<void> => {
  let isClosed = !server.listening;
  if (!isClosed) {
    server.close(() => {
      isClosed = true;
    });
  }
  while (!isClosed && !signal.aborted) {
    server.closeIdleConnections();
    await delay(CHECK_MS);
  }
  server.closeAllConnections();
};

const drain = async (name: NodeJS.Signals): Promise<void> => {
  const { servers, hooks } = shutdown();
  const event = createWideEvent({ at: new Date().toISOString(), shutdown: name });
  const begunMs = performance.now();
  const bound = AbortSignal.timeout(DRAIN_MS);
  stopWork();
  const logError = (error: unknown) => void event.set({ problem: messageOf(error) });
  // In parallel, so that a hanging hook does not take time from the requests.
  const ended = [...hooks].map(async (hook) => hook()).map((hook) => hook.catch(logError));
  await Promise.all([
    ...[...servers].map((server) => drainServer(server, bound)),
    Promise.race([Promise.all(ended), delay(DRAIN_MS, undefined, { ref: false })]),
  ]);
  await Promise.race([closeContainer(), delay(CLOSE_MS, undefined, { ref: false })]);
  event.set({ ms: Math.round(performance.now() - begunMs) });
  writeEvent(event);
};

/** Replaces Next's handling of SIGTERM and SIGINT, which waits for open connections without a limit. */
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
