import { createServer, type Server } from "node:http";
import { isIP } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { Hono } from "hono";

/** A stand-in's own clock: the system's, moved by tests. */
export interface Clock {
  now(): Date;
  /** How far it stands from the system's, in milliseconds; ahead is positive. */
  readonly offsetMs: number;
  setOffset(offsetMs: number): void;
}

/** A clock that shows the system's time, or that much ahead of it, until it is moved. */
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

/** What every stand-in's Hono app carries: the raw Node request and facts for the request log. */
export interface StandInEnv {
  /** `closing`: aborted once the stand-in stops and its connections are gone. */
  Bindings: StandInBindings;
  Variables: {
    /** What faults can be aimed at. */
    labels?: Record<string, string>;
    /** Name of the fault that strikes this request, and what it asks the stand-in to play. */
    fault?: string;
    play?: string;
    /** Status of the true answer in place of which a fault's was sent. */
    acted?: number;
    isCut?: boolean;
    /** Id of what the request created. */
    created?: string;
  };
}

/** Where to listen. Port 0 takes any free one. */
export interface ListenOptions {
  port: number;
  host: string;
}

/** A running stand-in. `close` stops listening, lets running answers finish for a moment, then cuts. */
export interface Handle extends AsyncDisposable {
  /** Origin without a trailing slash, e.g. `http://127.0.0.1:3101`. */
  url: string;
  port: number;
  close(): Promise<void>;
}

/** Anything with Hono's `fetch`; kept structural so that apps with further variables fit. */
interface Served {
  fetch(request: Request, env: StandInBindings): Response | Promise<Response>;
}

const CLOSE_GRACE_MS = 250;

/** A new app of the stand-ins' environment, where `/path` and `/path/` are the same address. */
export function createApp(): Hono<StandInEnv> {
  return new Hono<StandInEnv>({ strict: false });
}

/**
 * Listens on `host:port` and answers with the app. Requests for another host's name are answered 421: a page that
 * points its own name at this machine cannot read or control a stand-in.
 * @throws the listen error (for instance EADDRINUSE) when the port cannot be had.
 */
export async function serve(app: Served, { port, host }: ListenOptions): Promise<Handle> {
  const closing = new AbortController();
  const running = new Set<Promise<Response>>();
  const listener = getRequestListener(async (request, env) => {
    if (!isOurs(request.headers.get("host"), host)) {
      return new Response("This server does not answer to that name.\n", { status: 421 });
    }
    // The listener's type allows for HTTP/2, which this server does not speak.
    const answered = Promise.resolve(app.fetch(request, { ...(env as HttpBindings), closing: closing.signal }));
    running.add(answered);
    return answered.finally(() => running.delete(answered));
  });
  const server = createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The stand-in is not listening on a TCP port");
  const stop = closeOnce(server);
  // Whoever left early leaves an answer behind that still runs: it may end before what it writes to is closed.
  const close = async () => {
    await stop();
    closing.abort();
    await Promise.race([Promise.allSettled(running), delay(CLOSE_GRACE_MS)]);
  };
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** An address cannot be pointed elsewhere, so only names are checked. */
function isOurs(hostHeader: string | null, host: string): boolean {
  const hostname = URL.parse(`http://${hostHeader ?? ""}`)?.hostname ?? "";
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return true;
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === host;
}

function closeOnce(server: Server): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= new Promise<void>((resolve) => {
      const cut = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
      server.close(() => {
        clearTimeout(cut);
        resolve();
      });
      server.closeIdleConnections();
    });
    return closing;
  };
}
