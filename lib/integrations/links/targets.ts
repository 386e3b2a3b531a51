import { promises as dns } from "node:dns";
import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";
import { ADDRESS_MAX } from "#lib/core/paths.ts";

/** IPv4 that is nobody's page: IANA's special-purpose registry, multicast, and one address of a cloud's own services. */
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

/** Of IPv6 only global unicast is open at all; these parts of it are not: protocols, documentation, 6to4. */
const GLOBAL_V6 = ["2000::/3"];
const CLOSED_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"];

/** Translated IPv4 (RFC 6052): the last 32 bits say whose it is. */
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

/** The IPv4 address in the last 32 bits of an IPv6 one. */
const embeddedV4 = (address: string): string => {
  // The WHATWG parser writes every spelling in one way: lower case, no dotted part.
  const groups = new URL(`http://[${address}]/`).hostname.slice(1, -1).split(":");
  const [high = 0, low = 0] = groups.slice(-2).map((group) => Number.parseInt(group || "0", 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
};

/**
 * Whether an IP address may be connected to on behalf of somebody who typed a link (R-SRV-08): a public unicast address
 * of either family. Everything that is not known to be one is closed: mapped, 6to4, Teredo, site-local, with a zone.
 */
export const isPublicAddress = (address: string): boolean => {
  if (isIPv4(address)) return !closedV4.check(address, "ipv4");
  if (!isIPv6(address) || address.includes("%")) return false;
  if (translatedV6.check(address, "ipv6")) return isPublicAddress(embeddedV4(address));
  return globalV6.check(address, "ipv6") && !closedV6.check(address, "ipv6");
};

/** What a name stands for. `offline`: no name server answers us, not even for the root of all names. */
type Resolution = { kind: "found"; addresses: string[] } | { kind: "no_host" | "silent" | "offline" };

export type Resolve = (host: string) => Promise<Resolution>;

const TIMEOUT_MS = 2_000;
const TRIES = 2;

/** Answers that say that a name, or an address for it, does not or cannot exist; others say that nobody could be asked. */
const ABSENT = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"]);

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/**
 * Asks name servers for both families, and not the system's `getaddrinfo`: that reads files of this machine, and a slow
 * name would hold one of the few threads that everything else needs too. `servers`: others than the machine's own, if any.
 */
export const createResolve = (servers: readonly string[]): Resolve => {
  const resolver = new dns.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  // Without a way out some name servers say of every name that it does not exist; the root always has its own.
  const seesRoot = (): Promise<boolean> =>
    resolver.resolveNs(".").then(
      (names) => names.length > 0,
      () => false,
    );
  return async (host) => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (addresses.length > 0) return { kind: "found", addresses };
    if (!(await seesRoot())) return { kind: "offline" };
    const isAbsent = answers.every((answer) => answer.status === "rejected" && ABSENT.has(codeOf(answer.reason)));
    return { kind: isAbsent ? "no_host" : "silent" };
  };
};

/** Where one request goes: to these addresses and no others, whatever the name says later. */
type Target =
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
