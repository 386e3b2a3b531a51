import { promises as dns } from "node:dns";
import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { URL_MAX } from "#lib/core/paths.ts";

/** Non-public IPv4: IANA's special-purpose registry, multicast, and a cloud provider's internal address. */
const CLOSED_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
];

/** Only global unicast IPv6 is public, except these parts: protocols, documentation, 6to4. */
const GLOBAL_V6 = ["2000::/3"];
const CLOSED_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"];

const TRANSLATED_V6 = ["64:ff9b::/96"];

const listOf = (ranges: readonly string[], family: "ipv4" | "ipv6"): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits] = range.split("/");
    list.addSubnet(address, Number(bits), family);
  }
  return list;
};

const closedV4 = listOf(CLOSED_V4, "ipv4");
const globalV6 = listOf(GLOBAL_V6, "ipv6");
const closedV6 = listOf(CLOSED_V6, "ipv6");
const translatedV6 = listOf(TRANSLATED_V6, "ipv6");

const embeddedV4 = (address: string): string => {
  // The WHATWG parser normalizes every spelling: lower case, no dotted part.
  const groups = new URL(`http://[${address}]/`).hostname.slice(1, -1).split(":");
  const [high = 0, low = 0] = groups.slice(-2).map((group) => Number.parseInt(group || "0", 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
};

/** Only public unicast, so no mapped, 6to4, Teredo, site-local or zoned address. */
export const isPublicAddress = (address: string): boolean => {
  if (isIPv4(address)) return !closedV4.check(address, "ipv4");
  if (!isIPv6(address) || address.includes("%")) return false;
  if (translatedV6.check(address, "ipv6")) return isPublicAddress(embeddedV4(address));
  return globalV6.check(address, "ipv6") && !closedV6.check(address, "ipv6");
};

/** `offline`: no name server answers, not even for the root. */
type Resolution = { kind: "found"; addresses: string[] } | { kind: "no_host" | "no_answer" | "offline" };

export type Resolve = (host: string) => Promise<Resolution>;

export interface Names {
  resolve: Resolve;
  /** Whether a name server responds for the root; false while this machine is offline. */
  seesRoot: () => Promise<boolean>;
}

const TIMEOUT_MS = 2_000;
const TRIES = 2;

/** Errors that mean that a name or its addresses do not exist; others mean that the lookup failed. */
const ABSENT = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"]);

export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** Queries name servers. Unlike `getaddrinfo`, this ignores the hosts file and does not block a pool thread. */
export const createNames = (servers: readonly string[], timeoutMs = TIMEOUT_MS): Names => {
  const resolver = new dns.Resolver({ timeout: timeoutMs, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  // Some offline name servers claim that no name exists; the root always has name servers.
  const seesRoot = (): Promise<boolean> =>
    resolver.resolveNs(".").then(
      (names) => names.length > 0,
      () => false,
    );
  const resolve: Resolve = async (host) => {
    const lookups = Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    // A silent name server takes seconds for each question, and callers wait ten for both.
    const isSlow = await Promise.race([lookups.then(() => false), delay(timeoutMs / 2, true, { ref: false })]);
    const root = isSlow ? seesRoot() : null;
    const answers = await lookups;
    const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (addresses.length > 0) return { kind: "found", addresses };
    if (!(await (root ?? seesRoot()))) return { kind: "offline" };
    const isAbsent = answers.every((answer) => answer.status === "rejected" && ABSENT.has(codeOf(answer.reason)));
    return { kind: isAbsent ? "no_host" : "no_answer" };
  };
  return { resolve, seesRoot };
};

/** A request goes to these addresses only, whatever the name resolves to later. */
type Target =
  | { kind: "open"; url: URL; addresses: string[] }
  | { kind: "refused" }
  | Exclude<Resolution, { kind: "found" }>;

const defaultPort: Record<string, string> = { "http:": "80", "https:": "443" };

/** `host:port`, as in the setting LINK_CHECK_ALLOWED_HOSTS. */
const hostAndPort = (url: URL): string => `${url.hostname}:${url.port || defaultPort[url.protocol]}`;

const withoutBrackets = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1");

const addressesOf = async (url: URL, resolve: Resolve): Promise<Resolution> => {
  const host = withoutBrackets(url.hostname);
  return isIP(host) ? { kind: "found", addresses: [host] } : resolve(host);
};

interface TypedUrl {
  url: URL;
  /** Whether the setting allows its host, even if it isn't public. */
  isAllowed: boolean;
}

/** Null for URLs that are never requested, whatever their name resolves to. */
export const readTarget = (text: string, allowedHosts: readonly string[]): TypedUrl | null => {
  const url = text.length <= URL_MAX && URL.canParse(text) ? new URL(text) : null;
  if (!url || !(url.protocol in defaultPort) || url.username !== "" || url.password !== "") return null;
  const isAllowed = allowedHosts.includes(hostAndPort(url));
  if (isAllowed) return { url, isAllowed };
  const host = withoutBrackets(url.hostname);
  return url.port !== "" || (isIP(host) && !isPublicAddress(host)) ? null : { url, isAllowed };
};

/** The URL parser has already normalized unusual spellings of addresses. */
export const checkTarget = async (
  text: string,
  { resolve, allowedHosts }: { resolve: Resolve; allowedHosts: readonly string[] },
): Promise<Target> => {
  const target = readTarget(text, allowedHosts);
  if (!target) return { kind: "refused" };
  const { url, isAllowed } = target;
  const found = await addressesOf(url, resolve);
  if (found.kind !== "found") return found;
  const isAllowedTarget = isAllowed || found.addresses.every(isPublicAddress);
  return isAllowedTarget ? { kind: "open", url, addresses: found.addresses } : { kind: "refused" };
};
