import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A TCP proxy between executor and database. */
interface DatabaseProxy {
  /** The database's URL through the proxy. */
  url: string;
  /** Ends all connections immediately. */
  cut(): void;
  /** Silently drops all traffic of the existing connections, in both directions. */
  freeze(): void;
  /** Whether new connections are accepted. */
  setOpen(isOpen: boolean): void;
}

/** Starts a proxy to the database; it ends with the test. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const pairs = new Set<[Socket, Socket]>();
  let isOpen = true;
  const server = createServer((client) => {
    if (!isOpen) return client.destroy();
    const upstream = connect(Number(target.port), target.hostname);
    const pair: [Socket, Socket] = [client, upstream];
    pairs.add(pair);
    client.pipe(upstream).pipe(client);
    for (const socket of pair) {
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        pairs.delete(pair);
        for (const other of pair) other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port");
  const cut = () => {
    for (const [client, upstream] of pairs) {
      client.destroy();
      upstream.destroy();
    }
  };
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    cut();
    await closed;
  });
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String(address.port);
  return {
    url: url.href,
    cut,
    freeze() {
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream).pause();
        upstream.unpipe(client).pause();
      }
    },
    setOpen(next) {
      isOpen = next;
    },
  };
}
