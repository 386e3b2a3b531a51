import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A cable between executor and database that tests cut. */
export interface Cable {
  /** The database's address at the cable's near end. */
  url: string;
  /** Ends all connections, in the middle of whatever they carry. */
  cut(): void;
  /** Nothing gets through on the connections there are, in either direction, and nobody is told. */
  freeze(): void;
  /** Whether new connections get through. */
  setOpen(isOpen: boolean): void;
}

/** Lays a cable to the database; it goes with the test. */
export async function layCable(databaseUrl: string): Promise<Cable> {
  const target = new URL(databaseUrl);
  const pairs = new Set<[Socket, Socket]>();
  let isOpen = true;
  const server = createServer((near) => {
    if (!isOpen) return near.destroy();
    const far = connect(Number(target.port), target.hostname);
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    near.pipe(far).pipe(near);
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
  if (address === null || typeof address === "string") throw new Error("The cable has no port");
  const cut = () => {
    for (const [near, far] of pairs) {
      near.destroy();
      far.destroy();
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
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    setOpen(next) {
      isOpen = next;
    },
  };
}
