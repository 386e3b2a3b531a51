import { createServer, type Server, Socket } from "node:net";
import { within } from "./bounded.ts";
import { createHolds, type Holds } from "./holds.ts";
import { type PgMessage, PgSplitter, PgStatements } from "./pg-wire.ts";

/** A TCP proxy before PostgreSQL that can stop at a statement, cut connections, or refuse them. */
export interface PgProxy {
  port: number;
  holds: Holds;
  /** How many connections there are now. */
  connections(): number;
  /** Cuts every connection at once. @returns how many there were */
  cutAll(): number;
  close(): Promise<void>;
}

interface Pair {
  client: Socket;
  server: Socket;
  /** Set while a statement's answer is to be stopped once it is complete. */
  stopAnswer: string | undefined;
  earlier: readonly string[];
}

/** Starts it on a free loopback port. @param target the server's port, asked at each connection */
export async function startPgProxy(target: () => number): Promise<PgProxy> {
  const holds = createHolds();
  const pairs = new Set<Pair>();
  const server = createServer((client) => {
    const pair: Pair = { client, server: new Socket(), stopAnswer: undefined, earlier: [] };
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      pair.client.destroy();
      pair.server.destroy();
    };
    for (const socket of [client, pair.server]) {
      socket.setNoDelay(true);
      // Either side may break off at any time: that is what this proxy is for.
      socket.on("error", end);
      socket.on("close", end);
    }
    pair.server.connect(target(), "127.0.0.1");
    void carryRequests(pair, holds).then(end, end);
    void carryAnswers(pair, holds).then(end, end);
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

async function carryRequests(pair: Pair, holds: Holds): Promise<void> {
  const splitter = new PgSplitter(true);
  const statements = new PgStatements();
  for await (const chunk of pair.client) {
    for (const message of splitter.push(chunk)) {
      if (!(await mayPass(pair, holds, statements, message))) return;
      pair.server.write(message.bytes);
    }
  }
}

async function mayPass(pair: Pair, holds: Holds, statements: PgStatements, message: PgMessage): Promise<boolean> {
  const text = statements.read(message);
  if (text === undefined) return true;
  const earlier = [...statements.earlier];
  statements.note(text);
  if (!holds.isArmed()) return true;
  if ((await holds.meet({ side: "before", text, earlier })) === "cut") return false;
  pair.stopAnswer = text;
  pair.earlier = earlier;
  return true;
}

async function carryAnswers(pair: Pair, holds: Holds): Promise<void> {
  const splitter = new PgSplitter(false);
  let kept: Buffer[] = [];
  for await (const chunk of pair.server) {
    if (!holds.isArmed() && kept.length === 0) pair.stopAnswer = undefined;
    for (const message of splitter.push(chunk)) {
      kept.push(message.bytes);
      // ReadyForQuery: the statement is done, committed if it was a commit.
      if (message.type !== "Z" || pair.stopAnswer === undefined) continue;
      const moment = { side: "after" as const, text: pair.stopAnswer, earlier: pair.earlier };
      pair.stopAnswer = undefined;
      if ((await holds.meet(moment)) === "cut") return;
    }
    if (kept.length > 0 && pair.stopAnswer === undefined) {
      pair.client.write(kept.length === 1 ? (kept[0] ?? "") : Buffer.concat(kept));
      kept = [];
    }
  }
}
