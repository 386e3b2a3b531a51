import "server-only";
import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { env } from "#lib/env.ts";

/** Node documents what this channel carries; its type is `unknown`. */
const requestOf = (message: unknown): IncomingMessage => (message as { request: IncomingMessage }).request;

/**
 * Adds to every request's X-Forwarded-For the address its connection comes from, as a proxy would. Next believes
 * whatever a client writes there; after this the last entry is never the client's word.
 */
export const recordAddresses = (): void =>
  subscribe("http.server.request.start", (message) => {
    const { headers, socket } = requestOf(message);
    const told = headers["x-forwarded-for"];
    const seen = socket.remoteAddress ?? "unknown";
    headers["x-forwarded-for"] = told === undefined ? seen : `${told}, ${seen}`;
  });

/** What limits are counted for: an IPv4 address, or the /64 of an IPv6 one, which is one customer's. */
export const toSubject = (address: string): string => {
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1];
  if (mapped) return mapped;
  const plain = address.split("%")[0] ?? address;
  if (isIP(plain) !== 6) return address;
  const [head = "", tail] = plain.toLowerCase().split("::");
  const front = head.split(":").filter(Boolean);
  const back = tail === undefined ? [] : tail.split(":").filter(Boolean);
  const groups = [...front, ...Array.from({ length: 8 - front.length - back.length }, () => "0"), ...back];
  return `${groups.slice(0, 4).join(":")}::/64`;
};

/**
 * The caller's network address in X-Forwarded-For: the last entry is the connection's own, before it stand those that
 * proxies of ours wrote (TRUSTED_PROXIES of them are passed over).
 */
export const clientAddress = (forwardedFor: string | null): string => {
  const hops = (forwardedFor ?? "")
    .split(",")
    .map((hop) => hop.trim())
    .filter(Boolean);
  return toSubject(hops.at(-1 - env().TRUSTED_PROXIES) ?? hops[0] ?? "unknown");
};
