import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { within } from "./bounded.ts";
import { createHolds, type Holds } from "./holds.ts";
import { listen } from "./pg-proxy.ts";

/** A request as the proxy saw it. */
export interface Seen {
  /** When it arrived, by the proxy's clock. */
  at: Date;
  method: string;
  /** Without the query. */
  path: string;
  body: string;
  /** 0 while there is no response. */
  status: number;
}

/** Changes a response; undefined leaves it unchanged. */
type Rewrite = (seen: Seen, body: string) => string | undefined;

/** A proxy in front of a provider that can hold requests and responses. */
export interface HttpProxy {
  url: string;
  holds: Holds;
  /** Requests in flight, including held ones. */
  inFlight(): number;
  /** Every request so far, oldest first. */
  seen(): readonly Seen[];
  rewrite: Rewrite | undefined;
  close(): Promise<void>;
}

interface ProxyResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
}

const UPSTREAM_MS = 90_000;
/** Enough to identify a request; the image comes last. */
const LOGGED_BYTES = 8_000;

const readBody = async (stream: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/**
 * Starts the proxy on a free loopback port.
 * @param target origin of the provider;
 * @param now the clock for logged requests
 */
export async function startHttpProxy(target: string, now: () => Date): Promise<HttpProxy> {
  const holds = createHolds();
  const journal: Seen[] = [];
  const agent = new Agent({ keepAlive: true });
  let inFlight = 0;
  const server = createServer((incoming, outgoing) => {
    inFlight += 1;
    // Either side may disconnect at any time; the promise below handles it.
    outgoing.on("error", () => {});
    incoming.on("error", () => {});
    handle(incoming, outgoing)
      // A disconnected client gets no response.
      .catch(() => outgoing.destroy())
      .finally(() => {
        inFlight -= 1;
      });
  });

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = "GET", url = "/" } = incoming;
    const path = url.split("?")[0] ?? url;
    const at = now();
    const body = await readBody(incoming);
    const seen: Seen = { at, method, path, body: body.toString("utf8", 0, LOGGED_BYTES), status: 0 };
    journal.push(seen);
    const text = `${method} ${path}`;
    if ((await holds.reach({ side: "before", text, earlier: [] })) === "cut") return void outgoing.destroy();
    // The client disconnected while the request was held.
    if (outgoing.destroyed) return;
    const response = await forward(incoming, outgoing, body);
    seen.status = response.status;
    if ((await holds.reach({ side: "after", text, earlier: [] })) === "cut") return void outgoing.destroy();
    const changed = proxy.rewrite?.(seen, response.body.toString());
    const { "transfer-encoding": _, "content-length": __, connection: ___, ...headers } = response.headers;
    outgoing.writeHead(response.status, headers).end(changed ?? response.body);
  };

  const forward = (incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer): Promise<ProxyResponse> =>
    new Promise((resolve, reject) => {
      const { "transfer-encoding": _, connection: __, ...headers } = incoming.headers;
      const upstream = request(
        `${target}${incoming.url}`,
        {
          method: incoming.method,
          headers: { ...headers, "content-length": body.length },
          agent,
          timeout: UPSTREAM_MS,
        },
        (reply) => {
          readBody(reply).then(
            (bytes) => resolve({ status: reply.statusCode ?? 502, headers: definedOf(reply.headers), body: bytes }),
            reject,
          );
        },
      );
      upstream.on("timeout", () => upstream.destroy(new Error("The provider did not respond.")));
      upstream.on("error", reject);
      // A hanging provider must notice that its client left; a working one gets a moment to finish.
      outgoing.once("close", () => setTimeout(() => upstream.destroy(new Error("The client left.")), 3_000).unref());
      upstream.end(body);
    });

  const port = await listen(server);
  const proxy: HttpProxy = {
    url: `http://127.0.0.1:${port}`,
    holds,
    inFlight: () => inFlight,
    seen: () => journal,
    rewrite: undefined,
    close: async () => {
      holds.releaseAll();
      agent.destroy();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await within(closed, 5_000, "a provider's proxy to close");
    },
  };
  return proxy;
}

const definedOf = (headers: IncomingMessage["headers"]): ProxyResponse["headers"] =>
  Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined),
  );
