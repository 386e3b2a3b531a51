import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";

/** A round-robin proxy in front of an app's instances, as the production guide describes it. */
export interface Balancer {
  port: number;
  /** How many requests each instance answered, by its port. */
  answered(): ReadonlyMap<number, number>;
  /** Requests that were answered with 502, because their instance died. */
  lost(): readonly string[];
  close(): Promise<void>;
}

const host = "127.0.0.1";
/** How long a request waits for an instance that accepts connections. */
const RETRY_MS = 10_000;
const RETRY_EVERY_MS = 100;
/** Repeating these changes nothing, so they go to another instance even if the first one died while answering. */
const REPEATABLE = ["GET", "HEAD"];

type Answer = "answered" | "refused" | "broken";

/** Sends a request to one instance. `refused`: it was not sent. `broken`: the instance died before it answered. */
const forward = (incoming: IncomingMessage, outgoing: ServerResponse, port: number): Promise<Answer> =>
  new Promise((resolve) => {
    const { connection: _, ...headers } = incoming.headers;
    const { method, url } = incoming;
    const upstream = request({
      host,
      port,
      method,
      path: url,
      headers: { ...headers, connection: "close" },
      agent: false,
    });
    let isSent = false;
    const leave = () => upstream.destroy();
    upstream.once("socket", (socket: Socket) =>
      socket.once("connect", () => {
        isSent = true;
        incoming.pipe(upstream);
      }),
    );
    upstream.once("response", (reply) => {
      const { connection: __, "keep-alive": ___, ...own } = reply.headers;
      outgoing.writeHead(reply.statusCode ?? 502, own);
      reply.pipe(outgoing);
      // The instance died in the middle of its answer.
      reply.once("error", () => outgoing.destroy());
      resolve("answered");
    });
    upstream.on("error", () => {
      outgoing.off("close", leave);
      incoming.unpipe(upstream);
      resolve(isSent ? "broken" : "refused");
    });
    outgoing.once("close", leave);
  });

/** Starts the proxy on a port of loopback (0: any). @param targets ports of the instances */
export async function startBalancer(wantedPort: number, targets: readonly number[]): Promise<Balancer> {
  const answered = new Map<number, number>();
  const lost: string[] = [];
  const sockets = new Set<Duplex>();
  let turn = 0;
  let isClosed = false;

  const next = (): number => {
    turn += 1;
    return targets[turn % targets.length] ?? 0;
  };

  const answerRequest = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { method = "GET", url = "/" } = incoming;
    const deadline = performance.now() + RETRY_MS;
    for (let tries = 1; !isClosed && !outgoing.destroyed; tries += 1) {
      const port = next();
      const answer = await forward(incoming, outgoing, port);
      if (answer === "answered") return void answered.set(port, (answered.get(port) ?? 0) + 1);
      if (answer === "broken" && !REPEATABLE.includes(method)) break;
      if (performance.now() > deadline) break;
      if (tries % targets.length === 0) await delay(RETRY_EVERY_MS);
    }
    // A client that left is not waiting for an answer.
    if (isClosed || outgoing.destroyed) return void outgoing.destroy();
    lost.push(`${method} ${url}`);
    outgoing.writeHead(502).end();
  };

  const server = createServer((incoming, outgoing) => {
    // Either side may disconnect at any time.
    for (const stream of [incoming, outgoing]) stream.on("error", () => {});
    void answerRequest(incoming, outgoing);
  });
  server.on("upgrade", (incoming, client, head) => {
    const upstream = connect(next(), host, () => {
      const lines = incoming.rawHeaders.flatMap((name, at, all) => (at % 2 === 0 ? [`${name}: ${all[at + 1]}`] : []));
      upstream.write(`${incoming.method} ${incoming.url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
      upstream.write(head);
      client.pipe(upstream).pipe(client);
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy());
      from.once("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(wantedPort, host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : wantedPort,
    answered: () => answered,
    lost: () => lost,
    close: async () => {
      isClosed = true;
      for (const socket of sockets) socket.destroy();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
