import "server-only";
import type { ClientRequest, IncomingMessage } from "node:http";
import http from "node:http";
import https from "node:https";
import { isIPv4, type LookupFunction } from "node:net";
import { SECOND_MS } from "#lib/core/time.ts";
import { readBody, readExcerpt, saveBody, streamBody } from "./bodies.ts";
import { decodePage } from "./decoding.ts";
import type {
  DocumentAnswer,
  DocumentOptions,
  FetchFailure,
  ImageAnswer,
  LinkAnswer,
  LinksPort,
  PageAnswer,
  PostAnswer,
  PostRequest,
} from "./port.ts";
import { checkTarget, codeOf, createNames, type Names, type Resolve, readTarget } from "./targets.ts";

type PageReply =
  | { kind: "head"; status: number; location: string | null }
  | { kind: "no_answer" }
  | { kind: "untrusted" }
  | { kind: "no_route" };

interface PageRequest {
  url: URL;
  /** Checked IP addresses. The connection uses them without resolving the name again. */
  addresses: readonly string[];
  headers: Readonly<Record<string, string>>;
  method?: "POST";
  signal: AbortSignal;
}

const HEAD_BYTES_MAX = 32_768;

/** No route from this machine; when every address fails so, we are offline. */
const NO_ROUTE = new Set(["ENETUNREACH", "EADDRNOTAVAIL", "ENETDOWN"]);

/** Error codes of OpenSSL and Node for certificates that browsers refuse. */
const UNTRUSTED =
  /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

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

const open = ({ url, addresses, headers, method, signal }: PageRequest): ClientRequest =>
  (url.protocol === "https:" ? https : http).request(url, {
    method: method ?? "GET",
    // A connection of its own: none is shared between two names.
    agent: false,
    lookup: pinnedLookup(addresses),
    signal,
    maxHeaderSize: HEAD_BYTES_MAX,
    headers: { ...headers, "accept-encoding": "identity", connection: "close" },
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
  const reply = await fetchHead({ ...target, headers: { "user-agent": userAgent, accept: PAGES }, signal });
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

type Hop<A> = { kind: "redirect"; url: string } | { kind: "end"; answer: A };

const end = <A>(answer: A): Hop<A> => ({ kind: "end", answer });

type ReadResponse<A> = (response: IncomingMessage, url: URL) => Promise<Hop<A>>;

type NoResponse = { kind: "no_answer" | "untrusted" | "no_route" };

const FAILURES = { no_answer: "no_answer", untrusted: "untrusted", no_route: "no_route", head: "no_answer" } as const;

const requestBody = <A>(request: PageRequest, read: ReadResponse<A>, body = ""): Promise<Hop<A | NoResponse>> =>
  new Promise((resolve, reject) => {
    const call = open(request);
    let hasAnswered = false;
    call.on("response", (response) => {
      hasAnswered = true;
      read(response, request.url)
        .then(resolve, reject)
        .finally(() => call.destroy());
    });
    call.on("upgrade", (_response, socket) => {
      resolve(end({ kind: "no_answer" }));
      socket.destroy();
    });
    // Afterward, the reader sees that the response broke off.
    call.on("error", (error) => hasAnswered || resolve(end({ kind: FAILURES[replyOf(error).kind] })));
    call.end(body);
  });

type BodyFetch<A> = Omit<CheckOptions, "mayFollow"> & Names & { accept: string; read: ReadResponse<A> };

/** Checks each target before it is requested, as link checks do. */
const fetchBody = async <A>(first: string, fetch: BodyFetch<A>): Promise<A | FetchFailure> => {
  let url = first;
  for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
    const target = await within(fetch.signal, checkTarget(url, fetch));
    if (!target) return { kind: "no_answer" };
    if (target.kind !== "open") return { kind: target.kind };
    const { userAgent, accept, signal } = fetch;
    const headers = { "user-agent": userAgent, accept };
    const reply = await requestBody({ ...target, headers, signal }, fetch.read);
    if (reply.kind === "redirect") url = reply.url;
    else {
      // A machine without IPv6 has no route to some sites while it reaches all others.
      const hasNoRoute = isNoRoute(reply.answer) && !(await fetch.seesRoot());
      return hasNoRoute ? { kind: "offline" } : reply.answer;
    }
  }
  return { kind: "too_many_redirects" };
};

const isNoRoute = (answer: unknown): boolean =>
  typeof answer === "object" && answer !== null && "kind" in answer && answer.kind === "no_route";

const redirectOf = ({ statusCode = 0, headers }: IncomingMessage, url: URL): string | null =>
  REDIRECTS.has(statusCode) ? nextOf(headers.location ?? null, url) : null;

const isLonger = ({ headers }: IncomingMessage, bytesMax: number): boolean =>
  Number(headers["content-length"]) > bytesMax;

const TEXT_TYPES = /^\s*(text\/|application\/(xhtml|json|xml))/i;

const imageReader =
  (to: { path: string; bytesMax: number }): ReadResponse<ImageAnswer> =>
  async (response, url) => {
    const { statusCode: status = 0, headers } = response;
    const next = redirectOf(response, url);
    if (next !== null) return { kind: "redirect", url: next };
    if (status !== 200) return end({ kind: "status", status });
    if (TEXT_TYPES.test(headers["content-type"] ?? "")) return end({ kind: "page" });
    if (isLonger(response, to.bytesMax)) return end({ kind: "too_large" });
    return end(await saveBody(response, to));
  };

const PAGE_TYPES = /^\s*(text\/html|application\/xhtml\+xml)\s*(;|$)/i;

const isPage = ({ headers }: IncomingMessage): boolean => PAGE_TYPES.test(headers["content-type"] ?? "text/html");

const pageReader =
  (mayFollow: CheckOptions["mayFollow"]): ReadResponse<PageAnswer> =>
  async (response, url) => {
    const { statusCode: status = 0, headers } = response;
    const next = redirectOf(response, url);
    if (next !== null) return (await mayFollow(next)) ? { kind: "redirect", url: next } : end({ kind: "paced" });
    if (status !== 200) return end({ kind: "status", status });
    if (!isPage(response)) return end({ kind: "not_page" });
    if (isLonger(response, PAGE_BYTES_MAX)) return end({ kind: "too_large" });
    const body = await readBody(response, PAGE_BYTES_MAX);
    if (body.kind !== "read") return end(body);
    return end({ kind: "fetched", finalUrl: url.href, html: decodePage(body.bytes, headers["content-type"] ?? "") });
  };

const PAGE_BYTES_MAX = 5_000_000;
const IMAGE_TIMEOUT_MS = 30 * SECOND_MS;
const DOCUMENT_TIMEOUT_MS = 20 * SECOND_MS;
const DOCUMENTS = "application/rss+xml,application/atom+xml,application/xml,application/json,text/html;q=0.9,*/*;q=0.8";

const documentReader =
  ({ mayFollow = async () => true, bytesMax, onText }: DocumentOptions): ReadResponse<DocumentAnswer> =>
  async (response, url) => {
    const { statusCode: status = 0, headers } = response;
    const next = redirectOf(response, url);
    if (next !== null) return (await mayFollow(next)) ? { kind: "redirect", url: next } : end({ kind: "paced" });
    if (status !== 200) return end({ kind: "status", status });
    const kind = await streamBody(response, { url, bytesMax, onText });
    if (kind !== "read") return end({ kind });
    return end({ kind: "fetched", finalUrl: url.href, contentType: headers["content-type"] ?? "" });
  };

/** Also the answer of a site that sends a status, but then hangs. */
const postReader =
  (excerptBytes: number): ReadResponse<PostAnswer> =>
  async (response) =>
    end({
      kind: "answered",
      status: response.statusCode ?? 0,
      excerpt: await readExcerpt(response, excerptBytes),
    });

const postBody = async (
  url: string,
  {
    headers,
    body,
    excerptBytes,
    signal,
    ...check
  }: PostRequest & Names & Pick<CheckOptions, "allowedHosts" | "signal">,
): Promise<PostAnswer> => {
  const target = await within(signal, checkTarget(url, check));
  if (!target) return { kind: "timeout" };
  if (target.kind !== "open") return { kind: target.kind };
  const request = { ...target, headers, method: "POST", signal } as const;
  const reply = await requestBody(request, postReader(excerptBytes), body);
  const answer: PostAnswer = reply.kind === "end" ? reply.answer : { kind: "no_answer" };
  if (answer.kind === "no_route" && !(await check.seesRoot())) return { kind: "offline" };
  return answer.kind === "no_answer" && signal.aborted ? { kind: "timeout" } : answer;
};

/** The only client that requests URLs that users typed. */
export const createLinks = (options: LinksOptions): LinksPort => {
  const { userAgent, allowedHosts = [], nameServers = [], timeoutMs = TIMEOUT_MS } = options;
  const names = createNames(nameServers);
  const acceptsPosts: LinksPort["acceptsPosts"] = (url) => {
    const target = readTarget(url, allowedHosts);
    if (!target) return "refused";
    return target.isAllowed || target.url.protocol === "https:" ? "yes" : "insecure";
  };
  return {
    acceptsPosts,
    post: async (url, request) => {
      const accepted = acceptsPosts(url);
      if (accepted !== "yes") return { kind: accepted };
      const signal = AbortSignal.timeout(request.timeoutMs);
      return postBody(url, { ...names, ...request, allowedHosts, signal });
    },
    check: (url, { mayFollow = async () => true } = {}) =>
      follow(url, { ...names, allowedHosts, userAgent, mayFollow, signal: AbortSignal.timeout(timeoutMs) }),
    fetchImage: (url, to) => {
      const signal = AbortSignal.timeout(to.timeoutMs ?? Math.max(timeoutMs, IMAGE_TIMEOUT_MS));
      return fetchBody(url, { ...names, allowedHosts, userAgent, signal, accept: IMAGES, read: imageReader(to) });
    },
    fetchPage: (url, { mayFollow = async () => true } = {}) => {
      const signal = AbortSignal.timeout(timeoutMs);
      return fetchBody(url, { ...names, allowedHosts, userAgent, signal, accept: PAGES, read: pageReader(mayFollow) });
    },
    fetchDocument: (url, fetch) => {
      const signal = AbortSignal.timeout(Math.max(timeoutMs, DOCUMENT_TIMEOUT_MS));
      const read = documentReader(fetch);
      return fetchBody(url, { ...names, allowedHosts, userAgent, signal, accept: DOCUMENTS, read });
    },
  };
};
