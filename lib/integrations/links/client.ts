import "server-only";
import type { ClientRequest, IncomingMessage } from "node:http";
import http from "node:http";
import https from "node:https";
import { isIPv4, type LookupFunction } from "node:net";
import { SECOND_MS } from "#lib/core/time.ts";
import type { LinkAnswer, LinksPort } from "./port.ts";
import { createResolve, judgeTarget, type Resolve } from "./targets.ts";

/** What one request brought: the head of an answer, or why there is none. */
type PageReply =
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
const askPage = (request: PageRequest): Promise<PageReply> =>
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

export interface LinksOptions {
  /** Who asks, with an address where it says more. */
  userAgent: string;
  /** `host:port` that may be asked although they are not public; for tests and trials on one machine. */
  allowedHosts?: readonly string[];
  /** Name servers (`ip` or `ip:port`); none: the machine's own. */
  nameServers?: readonly string[];
  /** For all hops of one look together. */
  timeoutMs?: number;
}

const REDIRECTS_MAX = 5;
const TIMEOUT_MS = 10 * SECOND_MS;

interface Look {
  resolve: Resolve;
  allowedHosts: readonly string[];
  userAgent: string;
  signal: AbortSignal;
  mayFollow: (url: string) => Promise<boolean>;
}

type Step = { kind: "answer"; answer: LinkAnswer } | { kind: "onwards"; url: string };

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Ends a wait for a name when the time is over: a name server keeps its own time, which may be longer. */
const within = <R>(signal: AbortSignal, work: Promise<R>): Promise<R | null> =>
  new Promise((resolve, reject) => {
    const giveUp = () => resolve(null);
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });

const nextOf = (location: string | null, from: URL): string | null =>
  location !== null && URL.canParse(location, from) ? new URL(location, from).href : null;

/** One hop: judged anew, then asked. */
const takeStep = async (url: string, look: Look, hop: number): Promise<Step> => {
  const ends = (kind: "no_host" | "silent" | "untrusted" | "refused" | "offline" | "paced"): Step => ({
    kind: "answer",
    answer: { kind, finalUrl: url },
  });
  const target = await within(look.signal, judgeTarget(url, look));
  if (!target) return ends("silent");
  if (target.kind !== "open") return ends(target.kind);
  if (hop > 0 && !(await look.mayFollow(url))) return ends("paced");
  const reply = await askPage({ ...target, userAgent: look.userAgent, signal: look.signal });
  if (reply.kind === "no_way") return ends("offline");
  if (reply.kind !== "head") return ends(reply.kind);
  const next = REDIRECTS.has(reply.status) ? nextOf(reply.location, target.url) : null;
  if (next !== null) return { kind: "onwards", url: next };
  return { kind: "answer", answer: { kind: "answered", finalUrl: url, status: reply.status } };
};

const follow = async (first: string, look: Look): Promise<LinkAnswer> => {
  let url = first;
  for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
    const step = await takeStep(url, look, hop);
    if (step.kind === "answer") return step.answer;
    url = step.url;
  }
  return { kind: "answered", finalUrl: url, status: 302 };
};

/** The one client that asks addresses which people typed (R-SRV-08). */
export const createLinks = (options: LinksOptions): LinksPort => {
  const { userAgent, allowedHosts = [], nameServers = [], timeoutMs = TIMEOUT_MS } = options;
  const resolve = createResolve(nameServers);
  return {
    look: (url, { mayFollow = async () => true } = {}) =>
      follow(url, { resolve, allowedHosts, userAgent, mayFollow, signal: AbortSignal.timeout(timeoutMs) }),
  };
};
