import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy in front of PostgreSQL, through which a test loses connections at a moment of its choice. */
export type WireProxy = {
  /** The same database by way of the proxy. */
  url: string;
  /** From now on nothing goes through in either direction, and nobody is told. */
  goSilent(): void;
  speakAgain(): void;
  /** Cuts the connection that next sends this text: before it reaches the server, or when the server has answered it. */
  cutAt(text: string, when: "before" | "answered"): void;
  /** New connections lead to this server from now on. */
  leadTo(targetUrl: string): void;
  close(): Promise<void>;
};

type Trap = { text: string; when: "before" | "answered" };
type Wire = { client: Socket; server: Socket; isSprung: boolean };

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
    if (trap && bytes.includes(trap.text)) {
      const { when } = trap;
      trap = undefined;
      if (when === "before") return cut(wire);
      wire.isSprung = true;
    }
    wire.server.write(bytes);
  };
  const toClient = (wire: Wire, bytes: Buffer) => {
    if (isSilent) return;
    if (wire.isSprung) return cut(wire);
    wire.client.write(bytes);
  };

  const listener = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    const wire: Wire = { client, server, isSprung: false };
    wires.add(wire);
    client.on("data", (bytes: Buffer) => toServer(wire, bytes));
    server.on("data", (bytes: Buffer) => toClient(wire, bytes));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => {
        wires.delete(wire);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const url = new URL(targetUrl);
  url.hostname = "127.0.0.1";
  url.port = String((listener.address() as AddressInfo).port);
  return {
    url: url.href,
    goSilent: () => {
      isSilent = true;
    },
    speakAgain: () => {
      isSilent = false;
    },
    leadTo: (other) => {
      target = new URL(other);
    },
    cutAt: (text, when) => {
      trap = { text, when };
    },
    close: async () => {
      const closed = new Promise((resolve) => listener.close(resolve));
      for (const wire of wires) cut(wire);
      await closed;
    },
  };
}
