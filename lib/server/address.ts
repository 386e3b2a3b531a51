import "server-only";
import { subscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { env } from "#lib/env.ts";

/** Node documents this message's shape but types it as `unknown`. */
const requestOf = (message: unknown): IncomingMessage => (message as { request: IncomingMessage }).request;

/** Appends the socket's address to X-Forwarded-For, so that clients cannot forge the last entry. */
export const recordClientAddresses = (): void =>
  subscribe("http.server.request.start", (message) => {
    const { headers, socket } = requestOf(message);
    const forwarded = headers["x-forwarded-for"];
    const remote = socket.remoteAddress ?? "unknown";
    headers["x-forwarded-for"] = forwarded === undefined ? remote : `${forwarded}, ${remote}`;
  });

/** The IPv4 address, or the /64 network of an IPv6 address. */
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

/** Skips the last TRUSTED_PROXIES entries. */
export const clientAddress = (forwardedFor: string | null): string => {
  const hops = (forwardedFor ?? "")
    .split(",")
    .map((hop) => hop.trim())
    .filter(Boolean);
  return toSubject(hops.at(-1 - env().TRUSTED_PROXIES) ?? hops[0] ?? "unknown");
};
