import { isIP } from "node:net";
import { ADDRESS_MAX } from "#lib/core/paths.ts";
import { isPublicAddress } from "./public-address.ts";
import type { Resolution, Resolve } from "./resolve.ts";

/** Where one request goes: to these addresses and no others, whatever the name says later. */
export type Target =
  | { kind: "open"; url: URL; addresses: string[] }
  | { kind: "refused" }
  | Exclude<Resolution, { kind: "found" }>;

const defaultPort: Record<string, string> = { "http:": "80", "https:": "443" };

/** `host:port` as the setting LINK_CHECK_ALLOWED_HOSTS names it. */
const placeOf = (url: URL): string => `${url.hostname}:${url.port || defaultPort[url.protocol]}`;

const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1");

const addressesOf = async (url: URL, resolve: Resolve): Promise<Resolution> => {
  const host = bare(url.hostname);
  return isIP(host) ? { kind: "found", addresses: [host] } : resolve(host);
};

/**
 * Decides about one address before anything is sent: http or https, no credentials, the usual port, and every address
 * that its name stands for is public (R-SRV-08). One private address among them is enough to refuse it. The parser has
 * written decimal, octal, hexadecimal and shortened spellings in the usual way by then.
 */
export const judgeTarget = async (
  text: string,
  { resolve, allowedHosts }: { resolve: Resolve; allowedHosts: readonly string[] },
): Promise<Target> => {
  const url = text.length <= ADDRESS_MAX && URL.canParse(text) ? new URL(text) : null;
  if (!url || !(url.protocol in defaultPort) || url.username !== "" || url.password !== "") return { kind: "refused" };
  const isAllowed = allowedHosts.includes(placeOf(url));
  if (url.port !== "" && !isAllowed) return { kind: "refused" };
  const found = await addressesOf(url, resolve);
  if (found.kind !== "found") return found;
  const isOpen = isAllowed || found.addresses.every(isPublicAddress);
  return isOpen ? { kind: "open", url, addresses: found.addresses } : { kind: "refused" };
};
