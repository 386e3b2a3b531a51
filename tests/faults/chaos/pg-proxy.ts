import { createServer, type Server, Socket } from "node:net";
import { within } from "./bounded.ts";
import { createHolds, type Holds } from "./holds.ts";
import { type PgMessage, PgSplitter, PgStatements } from "./pg-wire.ts";

/** A TCP proxy in front of PostgreSQL that can hold statements and cut connections. */
export interface PgProxy {
  port: number;
  holds: Holds;
  /** Number of open connections. */
  connections(): number;
  /** Cuts every connection; returns how many there were. */
  cutAll(): number;
  close(): Promise<void>;
}

interface Pair {
  client: Socket;
  server: Socket;
  /** Set while the response of a statement should be held once it is complete. */
  heldStatement: string | undefined;
  earlier: readonly string[];
}

/** Starts the proxy on a free loopback port. @param target returns the server's port for each connection */
export async function startPgProxy(target: () => number): Promise<PgProxy> {
  const holds = createHolds();
  const pairs = new Set<Pair>();
  const server = createServer((client) => {
    const pair: Pair = { client, server: new Socket(), heldStatement: undefined, earlier: [] };
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      pair.client.destroy();
      pair.server.destroy();
    };
    for (const socket of [client, pair.server]) {
      socket.setNoDelay(true);
      // Either side may disconnect at any time.
      socket.on("error", end);
      socket.on("close", end);
    }
    pair.server.connect(target(), "127.0.0.1");
    void forwardRequests(pair, holds).then(end, end);
    void forwardResponses(pair, holds).then(end, end);
  });
  const port = await listen(server);
  const cutAll = () => {
    const count = pairs.size;
    for (const { client, server: upstream } of pairs) {
      client.destroy();
      upstream.destroy();
    }
    return count;
  };
  return {
    port,
    holds,
    connections: () => pairs.size,
    cutAll,
    close: async () => {
      holds.releaseAll();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      cutAll();
      await within(closed, 5_000, "a database proxy to close");
    },
  };
}

/** Listens on a free loopback port and returns it. */
export function listen(server: Server, port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("The proxy has no port."));
      else resolve(address.port);
    });
  });
}

async function forwardRequests(pair: Pair, holds: Holds): Promise<void> {
  const splitter = new PgSplitter(true);
  const statements = new PgStatements();
  for await (const chunk of pair.client) {
    for (const message of splitter.push(chunk)) {
      if (!(await holdRequest(pair, holds, statements, message))) return;
      pair.server.write(message.bytes);
    }
  }
}

async function holdRequest(pair: Pair, holds: Holds, statements: PgStatements, message: PgMessage): Promise<boolean> {
  const text = statements.read(message);
  if (text === undefined) return true;
  const earlier = [...statements.earlier];
  statements.note(text);
  if (!holds.isActive()) return true;
  if ((await holds.reach({ side: "before", text, earlier })) === "cut") return false;
  pair.heldStatement = text;
  pair.earlier = earlier;
  return true;
}

async function forwardResponses(pair: Pair, holds: Holds): Promise<void> {
  const splitter = new PgSplitter(false);
  let tail: Buffer[] = [];
  for await (const chunk of pair.server) {
    if (!holds.isActive() && tail.length === 0) pair.heldStatement = undefined;
    for (const message of splitter.push(chunk)) {
      tail.push(message.bytes);
      // ReadyForQuery: the statement is done, and committed if it was a commit.
      if (message.type !== "Z" || pair.heldStatement === undefined) continue;
      const point = { side: "after" as const, text: pair.heldStatement, earlier: pair.earlier };
      pair.heldStatement = undefined;
      if ((await holds.reach(point)) === "cut") return;
    }
    if (tail.length > 0 && pair.heldStatement === undefined) {
      pair.client.write(tail.length === 1 ? (tail[0] ?? "") : Buffer.concat(tail));
      tail = [];
    }
  }
}
