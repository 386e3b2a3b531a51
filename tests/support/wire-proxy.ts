import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy in front of PostgreSQL that cuts connections at a chosen point. */
export type WireProxy = {
  /** The database's URL through the proxy. */
  url: string;
  /** Silently drops all traffic in both directions from now on. */
  stall(): void;
  resume(): void;
  /**
   * Cuts the connection that next sends this text, or after it was sent that often: before it reaches the server, or when
   * the server has responded. Every packet has the empty text.
   */
  cutAt(text: string, when: "before" | "answered", after?: number): void;
  /** Cancels a pending cut. @returns whether it had not happened yet */
  release(): boolean;
  /** Sends new connections to this server. */
  redirectTo(targetUrl: string): void;
  close(): Promise<void>;
};

type Trap = { text: string; when: "before" | "answered"; after: number };
type Wire = { client: Socket; server: Socket; isTriggered: boolean };

/** Starts a proxy on a free port of loopback. */
export async function startWireProxy(targetUrl: string): Promise<WireProxy> {
  let target = new URL(targetUrl);
  const wires = new Set<Wire>();
  let isSilent = false;
  let trap: Trap | undefined;

  const cut = ({ client, server }: Wire) => {
    client.destroy();
    server.destroy();
  };
  const toServer = (wire: Wire, bytes: Buffer) => {
    if (isSilent) return;
    if (trap && bytes.includes(trap.text) && trap.after-- <= 0) {
      const { when } = trap;
      trap = undefined;
      if (when === "before") return cut(wire);
      wire.isTriggered = true;
    }
    wire.server.write(bytes);
  };
  const toClient = (wire: Wire, bytes: Buffer) => {
    if (isSilent) return;
    if (wire.isTriggered) return cut(wire);
    wire.client.write(bytes);
  };

  const listener = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    const wire: Wire = { client, server, isTriggered: false };
    wires.add(wire);
    client.on("data", (bytes: Buffer) => toServer(wire, bytes));
    server.on("data", (bytes: Buffer) => toClient(wire, bytes));
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.on("error", () => to.destroy());
      from.on("close", () => {
        wires.delete(wire);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const url = new URL(targetUrl);
  url.hostname = "127.0.0.1";
  url.port = String((listener.address() as AddressInfo).port);
  return {
    url: url.href,
    stall: () => {
      isSilent = true;
    },
    resume: () => {
      isSilent = false;
    },
    redirectTo: (to) => {
      target = new URL(to);
    },
    cutAt: (text, when, after = 0) => {
      trap = { text, when, after };
    },
    release: () => {
      const isWaiting = trap !== undefined;
      trap = undefined;
      return isWaiting;
    },
    close: async () => {
      const closed = new Promise((resolve) => listener.close(resolve));
      for (const wire of wires) cut(wire);
      await closed;
    },
  };
}
