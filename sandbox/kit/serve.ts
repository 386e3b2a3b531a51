import { once } from "node:events";
import { createServer } from "node:http";
import { isIP } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";

/** A stand-in's clock: the system's, shifted by tests. */
export interface Clock {
  now(): Date;
  /** Offset from the system clock in milliseconds; ahead is positive. */
  readonly offsetMs: number;
  setOffset(offsetMs: number): void;
}

export function createClock(initialOffsetMs: number, onChange: () => void): Clock {
  let offsetMs = initialOffsetMs;
  return {
    now: () => new Date(Date.now() + offsetMs),
    get offsetMs() {
      return offsetMs;
    },
    setOffset(next) {
      offsetMs = next;
      onChange();
    },
  };
}

type StandInBindings = HttpBindings & { closing: AbortSignal };

/** What every stand-in's Hono app carries: the raw Node request and data for the request log. */
export interface StandInEnv {
  /** `closing` is aborted once the stand-in stops and its connections are closed. */
  Bindings: StandInBindings;
  Variables: {
    labels?: Record<string, string>;
    fault?: string;
    /** The real status that a fault's response replaced. */
    acted?: number;
    isCut?: boolean;
    created?: string;
  };
}

/** Where to listen. Port 0 picks a free port. */
export interface ListenOptions {
  port: number;
  host: string;
}

/** A running stand-in. `close` stops listening, gives running requests a moment, then closes connections. */
export interface Handle extends AsyncDisposable {
  /** Origin without a trailing slash, e.g. `http://127.0.0.1:3101`. */
  url: string;
  port: number;
  close(): Promise<void>;
}

/** Structural, so that apps with other variables fit. */
interface FetchApp {
  fetch(request: Request, env: StandInBindings): Response | Promise<Response>;
}

const CLOSE_GRACE_MS = 250;

export function createApp(): Hono<StandInEnv> {
  return new Hono<StandInEnv>({ strict: false });
}

/**
 * Serves the app. Requests with another Host name get 421, so that a page whose own name points at this machine can't
 * read or control a stand-in. `onClosed` runs last, after a moment for running handlers. @throws the listen error.
 */
export async function serve(
  app: FetchApp,
  { port, host }: ListenOptions,
  onClosed: () => void | Promise<void> = () => {},
): Promise<Handle> {
  const closing = new AbortController();
  const running = new Set<Promise<Response>>();
  const listener = getRequestListener(async (request, env) => {
    if (!isAllowedHost(request.headers.get("host"), host)) {
      return new Response("This server isn't available under that name.\n", { status: 421 });
    }
    // The listener's type allows HTTP/2, which this server does not use.
    const response = Promise.resolve(app.fetch(request, { ...(env as HttpBindings), closing: closing.signal }));
    running.add(response);
    return response.finally(() => running.delete(response));
  });
  const server = createServer(listener).listen(port, host);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The stand-in is not listening on a TCP port");
  const stop = async () => {
    const cut = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
    await once(server.close(), "close");
    clearTimeout(cut);
    closing.abort();
    // The handler of a client that left may still run; let it finish before its journal is closed.
    await Promise.race([Promise.allSettled(running), delay(CLOSE_GRACE_MS)]);
    await onClosed();
  };
  let stopped: Promise<void> | undefined;
  const close = () => {
    stopped ??= stop();
    return stopped;
  };
  return { url: `http://${inUrl(host)}:${address.port}`, port: address.port, close, [Symbol.asyncDispose]: close };
}

/** The origin to use in responses. */
export function originOf(c: Context<StandInEnv>): string {
  return new URL(c.req.url).origin;
}

/** A host as URLs write it: IPv6 addresses in brackets. */
export function inUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Only names are checked: an IP address can't be rebound. */
function isAllowedHost(hostHeader: string | null, host: string): boolean {
  const hostname = URL.parse(`http://${hostHeader ?? ""}`)?.hostname ?? "";
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return true;
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === host;
}
