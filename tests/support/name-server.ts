import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIPv4 } from "node:net";

/** A name's addresses of either family; `absent`: the name does not exist; `broken`: the server fails. */
type Zone = Record<string, (requests: number) => readonly string[] | "absent" | "broken">;

export interface NameServer {
  /** `ip:port`, as in the settings. */
  address: string;
  /** Number of address queries so far. */
  requests(name: string): number;
  close(): Promise<void>;
}

const TYPES: Record<number, "A" | "AAAA" | "NS"> = { 1: "A", 2: "NS", 28: "AAAA" };
const NXDOMAIN = 3;
const SERVFAIL = 2;

const readQuestion = (packet: Buffer): { name: string; type: number; end: number } => {
  const labels: string[] = [];
  let at = 12;
  for (let length = packet[at] ?? 0; length > 0; length = packet[at] ?? 0) {
    labels.push(packet.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), type: packet.readUInt16BE(at + 1), end: at + 5 };
};

const bytesOf = (address: string): Buffer => {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number));
  const full = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = "", tail] = full.split("::");
  const groups = (text: string | undefined) => (text ? text.split(":") : []);
  const zeros = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array.from({ length: zeros }, () => "0"), ...groups(tail)];
  return Buffer.from(all.map((group) => group.padStart(4, "0")).join(""), "hex");
};

const record = (type: number, data: Buffer): Buffer => {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
};

const responseTo = (packet: Buffer, end: number, code: number, records: Buffer[]): Buffer => {
  const head = Buffer.from(packet.subarray(0, 12));
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, packet.subarray(12, end), ...records]);
};

/** A name server on loopback for one zone, and the root unless `isCutOff`; all other names do not exist. */
export const startNameServer = async (zone: Zone, { isCutOff = false } = {}): Promise<NameServer> => {
  const counts = new Map<string, number>();
  const socket = createSocket("udp4");
  socket.on("message", (packet, peer) => {
    const { name, type, end } = readQuestion(packet);
    const kind = TYPES[type];
    const respond = (code: number, records: Buffer[] = []) =>
      socket.send(responseTo(packet, end, code, records), peer.port, peer.address);
    if (kind === "NS" && name === "" && !isCutOff) return respond(0, [record(2, Buffer.from([1, 97, 0]))]);
    const count = counts.get(name) ?? 0;
    if (kind === "A") counts.set(name, count + 1);
    const known = zone[name]?.(count) ?? "absent";
    if (known === "absent") return respond(NXDOMAIN);
    if (known === "broken") return respond(SERVFAIL);
    const own = known.filter((address) => isIPv4(address) === (kind === "A"));
    respond(0, kind === "NS" ? [] : own.map((address) => record(type, bytesOf(address))));
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    requests: (name) => counts.get(name) ?? 0,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
};
