import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import { isIPv4, type LookupFunction } from "node:net";

/** What one request brought: the head of an answer, or why there is none. */
export type PageReply =
  | { kind: "head"; status: number; location: string | null }
  | { kind: "silent" }
  | { kind: "untrusted" }
  | { kind: "no_way" };

interface PageRequest {
  url: URL;
  /** Checked addresses; the connection goes to one of them, and the name is not asked about again. */
  addresses: readonly string[];
  userAgent: string;
  signal: AbortSignal;
}

const HEAD_BYTES_MAX = 32_768;

/** No route from here: our own network is missing, if it is so for every address. */
const NO_WAY = new Set(["ENETUNREACH", "EADDRNOTAVAIL", "ENETDOWN"]);

/** OpenSSL's and Node's words for a certificate that browsers refuse. */
const UNTRUSTED =
  /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

const replyOf = (error: unknown): PageReply => {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return { kind: error.errors.every((one) => NO_WAY.has(codeOf(one))) ? "no_way" : "silent" };
  }
  const code = codeOf(error);
  if (NO_WAY.has(code)) return { kind: "no_way" };
  return { kind: UNTRUSTED.test(code) ? "untrusted" : "silent" };
};

/** Answers every question about a name with the addresses that were checked. */
const pinnedLookup = (addresses: readonly string[]): LookupFunction => {
  const pinned = addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }));
  return (_host, options, answer) => {
    const [first] = pinned;
    if (options.all) answer(null, pinned);
    else answer(null, first?.address ?? "", first?.family);
  };
};

const headOf = (response: IncomingMessage): PageReply => {
  const { location } = response.headers;
  return { kind: "head", status: response.statusCode ?? 0, location: location ?? null };
};

const open = ({ url, addresses, userAgent, signal }: PageRequest): ClientRequest =>
  (url.protocol === "https:" ? https : http).request(url, {
    method: "GET",
    // A connection of its own, closed afterwards: none is shared between two names.
    agent: false,
    lookup: pinnedLookup(addresses),
    signal,
    maxHeaderSize: HEAD_BYTES_MAX,
    headers: {
      "user-agent": userAgent,
      accept: "text/html,*/*;q=0.8",
      "accept-encoding": "identity",
      connection: "close",
    },
  });

/**
 * Asks one page and hangs up after the head of its answer: how long its body is, or what it unpacks to, is never known.
 * No cookie, no referrer, no credentials go along. Never throws.
 */
export const askPage = (request: PageRequest): Promise<PageReply> =>
  new Promise((resolve) => {
    const call = open(request);
    call.on("response", (response) => {
      resolve(headOf(response));
      call.destroy();
    });
    call.on("upgrade", (_response, socket) => {
      resolve({ kind: "silent" });
      socket.destroy();
    });
    call.on("error", (error) => resolve(replyOf(error)));
    call.end();
  });
