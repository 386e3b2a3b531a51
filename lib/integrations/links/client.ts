import "server-only";
import { SECOND_MS } from "#lib/core/time.ts";
import { askPage } from "./ask-page.ts";
import { judgeTarget } from "./judge-target.ts";
import type { LinkAnswer, LinksPort } from "./port.ts";
import { createResolve, type Resolve } from "./resolve.ts";

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
