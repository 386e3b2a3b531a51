import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { within } from "./bounded.ts";
import { createHolds, type Holds } from "./holds.ts";
import { listen } from "./pg-proxy.ts";

/** A request that passed, as the proxy saw it. */
export interface Seen {
  /** When it arrived, by the clock that the proxy was given. */
  at: Date;
  method: string;
  /** Without the query. */
  path: string;
  body: string;
  /** 0 while there is no answer, or when there was none. */
  status: number;
}

/** Changes an answer on its way back; undefined leaves it as it is. */
export type Rewrite = (seen: Seen, body: string) => string | undefined;

/** A proxy before a provider that can stop at a request, on its way there or back. */
export interface HttpProxy {
  url: string;
  holds: Holds;
  /** Requests that are still on their way, held ones included. */
  inFlight(): number;
  /** Every request so far, oldest first. */
  seen(): readonly Seen[];
  rewrite: Rewrite | undefined;
  close(): Promise<void>;
}

interface Answer {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
}

const UPSTREAM_MS = 90_000;
/** Enough of a request to know what it is about; the picture comes last in it. */
const KEPT_BYTES = 8_000;

const readAll = async (stream: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** Starts it on a free loopback port. @param target origin of the provider; @param now the clock for what was seen */
export async function startHttpProxy(target: string, now: () => Date): Promise<HttpProxy> {
  const holds = createHolds();
  const journal: Seen[] = [];
  const agent = new Agent({ keepAlive: true });
  let flying = 0;
  const server = createServer((incoming, outgoing) => {
    flying += 1;
    // Either side may break off at any time, which the promise below is told as well.
    outgoing.on("error", () => {});
    incoming.on("error", () => {});
    pass(incoming, outgoing)
      // Whoever broke off gets no answer: neither side of a cut connection is told why.
      .catch(() => outgoing.destroy())
      .finally(() => {
        flying -= 1;
      });
  });

  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = "GET", url = "/" } = incoming;
    const path = url.split("?")[0] ?? url;
    const at = now();
    const body = await readAll(incoming);
    const seen: Seen = { at, method, path, body: body.toString("utf8", 0, KEPT_BYTES), status: 0 };
    journal.push(seen);
    const text = `${method} ${path}`;
    if ((await holds.meet({ side: "before", text, earlier: [] })) === "cut") return void outgoing.destroy();
    // Who has gone while being held sends nothing any more.
    if (outgoing.destroyed) return;
    const answer = await ask(incoming, outgoing, body);
    seen.status = answer.status;
    if ((await holds.meet({ side: "after", text, earlier: [] })) === "cut") return void outgoing.destroy();
    const changed = proxy.rewrite?.(seen, answer.body.toString());
    const { "transfer-encoding": _, "content-length": __, connection: ___, ...headers } = answer.headers;
    outgoing.writeHead(answer.status, headers).end(changed ?? answer.body);
  };

  const ask = (incoming: IncomingMessage, outgoing: ServerResponse, body: Buffer): Promise<Answer> =>
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
          readAll(reply).then(
            (bytes) => resolve({ status: reply.statusCode ?? 502, headers: definedOf(reply.headers), body: bytes }),
            reject,
          );
        },
      );
      upstream.on("timeout", () => upstream.destroy(new Error("The provider did not answer.")));
      upstream.on("error", reject);
      // A provider that hangs must learn that its client has left; one that works gets a moment to finish.
      outgoing.once("close", () => setTimeout(() => upstream.destroy(new Error("The client left.")), 3_000).unref());
      upstream.end(body);
    });

  const port = await listen(server);
  const proxy: HttpProxy = {
    url: `http://127.0.0.1:${port}`,
    holds,
    inFlight: () => flying,
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

const definedOf = (headers: IncomingMessage["headers"]): Answer["headers"] =>
  Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined),
  );
