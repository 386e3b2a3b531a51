import "server-only";
import { createWriteStream } from "node:fs";
import type { ClientRequest, IncomingMessage } from "node:http";
import http from "node:http";
import https from "node:https";
import { isIPv4, type LookupFunction } from "node:net";
import { pipeline } from "node:stream/promises";
import { SECOND_MS } from "#lib/core/time.ts";
import type { ImageAnswer, LinkAnswer, LinksPort } from "./port.ts";
import { checkTarget, createNames, type Names, type Resolve } from "./targets.ts";

type PageReply =
  | { kind: "head"; status: number; location: string | null }
  | { kind: "no_answer" }
  | { kind: "untrusted" }
  | { kind: "no_route" };

interface PageRequest {
  url: URL;
  /** Checked IP addresses. The connection uses them without resolving the name again. */
  addresses: readonly string[];
  userAgent: string;
  accept: string;
  signal: AbortSignal;
}

const HEAD_BYTES_MAX = 32_768;

/** No route from this machine; when every address fails so, we are offline. */
const NO_ROUTE = new Set(["ENETUNREACH", "EADDRNOTAVAIL", "ENETDOWN"]);

/** Error codes of OpenSSL and Node for certificates that browsers refuse. */
const UNTRUSTED =
  /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

const replyOf = (error: unknown): PageReply => {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return { kind: error.errors.every((one) => NO_ROUTE.has(codeOf(one))) ? "no_route" : "no_answer" };
  }
  const code = codeOf(error);
  if (NO_ROUTE.has(code)) return { kind: "no_route" };
  return { kind: UNTRUSTED.test(code) ? "untrusted" : "no_answer" };
};

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

const PAGES = "text/html,*/*;q=0.8";
const IMAGES = "image/jpeg,image/png,image/webp,image/gif,image/*;q=0.8,*/*;q=0.5";

const open = ({ url, addresses, userAgent, accept, signal }: PageRequest): ClientRequest =>
  (url.protocol === "https:" ? https : http).request(url, {
    method: "GET",
    // A connection of its own: none is shared between two names.
    agent: false,
    lookup: pinnedLookup(addresses),
    signal,
    maxHeaderSize: HEAD_BYTES_MAX,
    headers: {
      "user-agent": userAgent,
      accept,
      "accept-encoding": "identity",
      connection: "close",
    },
  });

/** Requests a page but never reads its body. Sends no cookies, referrer, or credentials. Never throws. */
const fetchHead = (request: PageRequest): Promise<PageReply> =>
  new Promise((resolve) => {
    const call = open(request);
    call.on("response", (response) => {
      resolve(headOf(response));
      call.destroy();
    });
    call.on("upgrade", (_response, socket) => {
      resolve({ kind: "no_answer" });
      socket.destroy();
    });
    call.on("error", (error) => resolve(replyOf(error)));
    call.end();
  });

export interface LinksOptions {
  userAgent: string;
  /** `host:port` values that are allowed although they are not public; for tests and trials on one machine. */
  allowedHosts?: readonly string[];
  /** Name servers (`ip` or `ip:port`); none: the machine's own. */
  nameServers?: readonly string[];
  timeoutMs?: number;
}

const REDIRECTS_MAX = 5;
const TIMEOUT_MS = 10 * SECOND_MS;

interface CheckOptions {
  resolve: Resolve;
  allowedHosts: readonly string[];
  userAgent: string;
  signal: AbortSignal;
  mayFollow: (url: string) => Promise<boolean>;
}

type Step = { kind: "answer"; answer: LinkAnswer } | { kind: "redirect"; url: string };

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Stops waiting for a name when the time is over: name servers have longer timeouts. */
const within = <R>(signal: AbortSignal, work: Promise<R>): Promise<R | null> =>
  new Promise((resolve, reject) => {
    const giveUp = () => resolve(null);
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });

const nextOf = (location: string | null, from: URL): string | null =>
  location !== null && URL.canParse(location, from) ? new URL(location, from).href : null;

/** Checks the target of a redirect again before requesting it. */
const followOnce = async (url: string, check: CheckOptions, hop: number): Promise<Step> => {
  const endWith = (kind: "no_host" | "no_answer" | "untrusted" | "refused" | "offline" | "paced"): Step => ({
    kind: "answer",
    answer: { kind, finalUrl: url },
  });
  const target = await within(check.signal, checkTarget(url, check));
  if (!target) return endWith("no_answer");
  if (target.kind !== "open") return endWith(target.kind);
  if (hop > 0 && !(await check.mayFollow(url))) return endWith("paced");
  const { userAgent, signal } = check;
  const reply = await fetchHead({ ...target, userAgent, accept: PAGES, signal });
  if (reply.kind === "no_route") return endWith("offline");
  if (reply.kind !== "head") return endWith(reply.kind);
  const next = REDIRECTS.has(reply.status) ? nextOf(reply.location, target.url) : null;
  if (next !== null) return { kind: "redirect", url: next };
  return { kind: "answer", answer: { kind: "answered", finalUrl: url, status: reply.status } };
};

const follow = async (first: string, check: CheckOptions): Promise<LinkAnswer> => {
  let url = first;
  for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
    const step = await followOnce(url, check, hop);
    if (step.kind === "answer") return step.answer;
    url = step.url;
  }
  return { kind: "answered", finalUrl: url, status: 302 };
};

/** Stops as soon as there are more bytes than allowed, whatever the site announced. */
const saveBody = async (
  response: IncomingMessage,
  { path, bytesMax }: { path: string; bytesMax: number },
): Promise<ImageAnswer> => {
  let bytes = 0;
  const bounded = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) return;
      yield chunk;
    }
  };
  try {
    await pipeline(response, bounded, createWriteStream(path, { flags: "wx", mode: 0o600 }));
  } catch (error) {
    if (bytes <= bytesMax && codeOf(error) !== "ERR_STREAM_PREMATURE_CLOSE" && isLocalFault(error)) throw error;
    return { kind: bytes > bytesMax ? "too_large" : "no_answer" };
  }
  return bytes > bytesMax ? { kind: "too_large" } : { kind: "fetched", bytes };
};

/** Errors of our disk, such as a full one; others are the site's. */
const isLocalFault = (error: unknown): boolean =>
  /^(ENOSPC|EACCES|EEXIST|EIO|EMFILE|ENOENT|EROFS)$/.test(codeOf(error));

type Hop = { kind: "redirect"; url: string } | { kind: "end"; answer: ImageAnswer };

const end = (answer: ImageAnswer): Hop => ({ kind: "end", answer });

const readResponse = async (
  response: IncomingMessage,
  url: URL,
  to: { path: string; bytesMax: number },
): Promise<Hop> => {
  const { statusCode: status = 0, headers } = response;
  const next = REDIRECTS.has(status) ? nextOf(headers.location ?? null, url) : null;
  if (next !== null) return { kind: "redirect", url: next };
  if (status !== 200) return end({ kind: "status", status });
  if (/^\s*(text\/|application\/(xhtml|json|xml))/i.test(headers["content-type"] ?? "")) return end({ kind: "page" });
  if (Number(headers["content-length"]) > to.bytesMax) return end({ kind: "too_large" });
  return end(await saveBody(response, to));
};

const FAILURES = { no_answer: "no_answer", untrusted: "untrusted", no_route: "no_route", head: "no_answer" } as const;

const requestImage = (request: PageRequest, to: { path: string; bytesMax: number }): Promise<Hop> =>
  new Promise((resolve, reject) => {
    const call = open(request);
    call.on("response", (response) => {
      readResponse(response, request.url, to)
        .then(resolve, reject)
        .finally(() => call.destroy());
    });
    call.on("upgrade", (_response, socket) => {
      resolve(end({ kind: "no_answer" }));
      socket.destroy();
    });
    call.on("error", (error) => resolve(end({ kind: FAILURES[replyOf(error).kind] })));
    call.end();
  });

type ImageFetch = Omit<CheckOptions, "mayFollow"> & Names & { to: { path: string; bytesMax: number } };

/** Checks each target before it is requested, as link checks do. */
const fetchImage = async (first: string, { to, ...fetch }: ImageFetch): Promise<ImageAnswer> => {
  let url = first;
  for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
    const target = await within(fetch.signal, checkTarget(url, fetch));
    if (!target) return { kind: "no_answer" };
    if (target.kind !== "open") return { kind: target.kind };
    const { userAgent, signal } = fetch;
    const reply = await requestImage({ ...target, userAgent, accept: IMAGES, signal }, to);
    // A machine without IPv6 has no route to some sites while it reaches all others.
    if (reply.kind === "end" && reply.answer.kind === "no_route" && !(await fetch.seesRoot()))
      return { kind: "offline" };
    if (reply.kind === "end") return reply.answer;
    url = reply.url;
  }
  return { kind: "too_many_redirects" };
};

const IMAGE_TIMEOUT_MS = 30 * SECOND_MS;

/** The only client that requests URLs that users typed. */
export const createLinks = (options: LinksOptions): LinksPort => {
  const { userAgent, allowedHosts = [], nameServers = [], timeoutMs = TIMEOUT_MS } = options;
  const names = createNames(nameServers);
  return {
    check: (url, { mayFollow = async () => true } = {}) =>
      follow(url, { ...names, allowedHosts, userAgent, mayFollow, signal: AbortSignal.timeout(timeoutMs) }),
    fetchImage: (url, to) => {
      const signal = AbortSignal.timeout(Math.max(timeoutMs, IMAGE_TIMEOUT_MS));
      return fetchImage(url, { ...names, allowedHosts, userAgent, signal, to });
    },
  };
};
