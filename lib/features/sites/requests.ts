import "server-only";
import type { Ctx } from "#lib/context.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { rateLimitedSiteOf } from "#lib/features/links/policy.ts";
import { createTurns, reserveRedirect, type TakeTurn } from "#lib/features/links/site-limits.ts";
import { type PageAttempt, readPage, shareReading } from "#lib/features/pages/readings.ts";
import type { DocumentAnswer, LinksPort } from "#lib/integrations/links/port.ts";
import {
  DOCUMENT_BYTES_MAX,
  MATCHING_MS,
  READING_MS,
  REQUESTS_MAX,
  ROBOTS_BYTES_MAX,
  ROBOTS_FAILED_MS,
  ROBOTS_FRESH_MS,
  ROBOTS_KEPT_MAX,
} from "./constants.ts";
import { type RobotsRules, readRobotsRules } from "./robots.ts";

type Fetched = Extract<DocumentAnswer, { kind: "fetched" }>;
type Failure = Exclude<DocumentAnswer, Fetched | { kind: "paced" }>;
type Busy = { kind: "busy"; afterMs: number };

/** `blocked`: by robots.txt. `busy`: the site is at its limit. `spent`: this reading made all of its requests. */
export type SiteAnswer = Fetched | Failure | Busy | { kind: "blocked" | "spent" };

/** `failed`: robots.txt exists, or may exist, but can't be read, so nothing may be. */
type Robots = ({ kind: "known" } & RobotsRules) | { kind: "failed"; answer: SiteAnswer };

const ALL_ALLOWED: Robots = { kind: "known", mayRead: () => true, sitemaps: [] };

const sitemapsIn = (robots: Robots): string[] => (robots.kind === "known" ? robots.sitemaps : []);

type Read = (url: string, options: { bytesMax: number; onText: (text: string) => boolean }) => Promise<SiteAnswer>;

/** Requests of one reading, which count toward the limits of link checks and pages. */
export interface SiteRequests {
  /** Asks robots.txt first, also where redirects lead. */
  read: (url: string, onText: (text: string) => boolean) => Promise<SiteAnswer>;
  /** Null when pages of the site may be read. */
  refusalOf: (url: string) => Promise<SiteAnswer | null>;
  robotsOf: (url: string) => Promise<Robots>;
  /** Whether a robots.txt that was read already disallows a page. Makes no request. */
  isBlocked: (url: string) => boolean;
  /** Those that robots.txt names. */
  sitemapsOf: (url: string) => Promise<string[]>;
  hasMore: () => boolean;
}

const readRobots = async (url: string, productName: string, read: Read): Promise<Robots> => {
  let text = "";
  const onText = (part: string): boolean => {
    text += part;
    return text.length < ROBOTS_BYTES_MAX;
  };
  const answer = await read(url, { bytesMax: 2 * ROBOTS_BYTES_MAX, onText });
  if (answer.kind === "status" && answer.status < 500) return ALL_ALLOWED;
  if (answer.kind === "too_many_redirects") return ALL_ALLOWED;
  if (answer.kind !== "fetched" && answer.kind !== "too_large") return { kind: "failed", answer };
  return { kind: "known", ...readRobotsRules(url, text, productName) };
};

/** Whether known rules disallow a page. Only rules that are made to take long reach the limit. */
const blockedBy = (rulesByOrigin: ReadonlyMap<string, RobotsRules>): SiteRequests["isBlocked"] => {
  let matchingMs = 0;
  return (url) => {
    const rules = rulesByOrigin.get(new URL(url).origin);
    if (!rules || matchingMs > MATCHING_MS) return false;
    const begunMs = performance.now();
    const mayRead = rules.mayRead(url);
    matchingMs += performance.now() - begunMs;
    return !mayRead;
  };
};

/**
 * @param ctx its product's name is the one that robots.txt may name
 * @param takeTurn asked before each request; by default, each counts, and none waits
 */
export const createSiteRequests = (
  ctx: Ctx<"links">,
  takeTurn: TakeTurn = (site) => reserveRedirect(ctx, site),
): SiteRequests => {
  const endsAtMs = performance.now() + READING_MS;
  const robotsByOrigin = new Map<string, Promise<Robots>>();
  const rulesByOrigin = new Map<string, RobotsRules>();
  let requests = 0;
  const hasMore = () => requests < REQUESTS_MAX && performance.now() < endsAtMs;

  /** What keeps a request from being made now; null when nothing does. It is counted then. */
  const reserve = async (url: string): Promise<SiteAnswer | null> => {
    if (!hasMore()) return { kind: "spent" };
    requests += 1;
    const wait = await takeTurn(rateLimitedSiteOf(url));
    return wait && { kind: "busy", afterMs: wait.afterMs };
  };

  const request = async (
    url: string,
    options: Parameters<Read>[1],
    check: (url: string) => Promise<SiteAnswer | null>,
  ): Promise<SiteAnswer> => {
    let stopped: SiteAnswer | null = null;
    const mayFollow = async (target: string): Promise<boolean> => {
      stopped = (await check(target)) ?? (await reserve(target));
      return stopped === null;
    };
    const busy: Busy = { kind: "busy", afterMs: MINUTE_MS };
    if (!(await mayFollow(url))) return stopped ?? busy;
    const answer = await ctx.links.fetchDocument(url, { ...options, mayFollow });
    return answer.kind === "paced" ? (stopped ?? busy) : answer;
  };

  const robotsOf = (url: string): Promise<Robots> => {
    const { origin } = new URL(url);
    const known = robotsByOrigin.get(origin);
    if (known) return known;
    const read: Read = (file, options) => request(file, options, async () => null);
    const reading = readRobots(`${origin}/robots.txt`, ctx.settings.productName, read);
    robotsByOrigin.set(origin, reading);
    return reading;
  };

  const refusalOf = async (url: string): Promise<SiteAnswer | null> => {
    const robots = await robotsOf(url);
    if (robots.kind === "failed") return robots.answer;
    rulesByOrigin.set(new URL(url).origin, robots);
    return robots.mayRead(url) ? null : { kind: "blocked" };
  };

  return {
    hasMore,
    isBlocked: blockedBy(rulesByOrigin),
    refusalOf,
    robotsOf,
    read: (url, onText) => request(url, { bytesMax: DOCUMENT_BYTES_MAX, onText }, refusalOf),
    sitemapsOf: async (url) => sitemapsIn(await robotsOf(url)),
  };
};

interface KeptRobots {
  robots: Promise<Robots>;
  untilMs: number;
}

/** By client, so that those of several containers stay apart. Per process, since it is read again in an hour anyway. */
const kept = new WeakMap<LinksPort, Map<string, KeptRobots>>();

const isTemporary = ({ kind }: SiteAnswer): boolean => kind === "busy" || kind === "spent" || kind === "offline";

/** It waits for its turn like the pages that are waiting for it, or a busy site would never answer for it. */
const readKept = (ctx: Ctx<"links">, url: string): Promise<Robots> =>
  createSiteRequests(ctx, createTurns(ctx, `${new URL(url).origin}/robots.txt`)).robotsOf(url);

/** A site's robots.txt, which is read once an hour, however many pages are asked for. */
const keptRobots = async (ctx: Ctx<"links">, url: string): Promise<Robots> => {
  const byOrigin = kept.get(ctx.links) ?? new Map<string, KeptRobots>();
  kept.set(ctx.links, byOrigin);
  const { origin } = new URL(url);
  const nowMs = ctx.now().getTime();
  const known = byOrigin.get(origin);
  const entry =
    known && known.untilMs > nowMs ? known : { robots: readKept(ctx, url), untilMs: nowMs + ROBOTS_FRESH_MS };
  // The first one of the map is the one that was not used for the longest.
  byOrigin.delete(origin);
  byOrigin.set(origin, entry);
  const [oldest] = byOrigin.keys();
  if (byOrigin.size > ROBOTS_KEPT_MAX && oldest !== undefined) byOrigin.delete(oldest);
  try {
    const robots = await entry.robots;
    if (robots.kind === "failed") entry.untilMs = isTemporary(robots.answer) ? 0 : nowMs + ROBOTS_FAILED_MS;
    return robots;
  } catch (error) {
    entry.untilMs = 0;
    throw error;
  }
};

/** Null when robots.txt allows the page. */
const findRefusal = async (ctx: Ctx<"links">, url: string): Promise<PageAttempt | null> => {
  const robots = await keptRobots(ctx, url);
  if (robots.kind === "known") {
    return robots.mayRead(url) ? null : { kind: "unread", reason: "blocked", status: null };
  }
  if (robots.answer.kind === "offline") return { kind: "unread", reason: "offline", status: null };
  if (robots.answer.kind === "busy") return { kind: "later", afterMs: robots.answer.afterMs };
  if (isTemporary(robots.answer)) return { kind: "later", afterMs: MINUTE_MS };
  return { kind: "unread", reason: "robots_unread", status: null };
};

const readAllowed = async (ctx: Ctx<"links">, url: string): Promise<PageAttempt> => {
  const refusals: PageAttempt[] = [];
  const mayRead = async (target: string): Promise<boolean> => {
    const refusal = await findRefusal(ctx, target);
    if (refusal) refusals.push(refusal);
    return refusal === null;
  };
  const found = await readPage(ctx, { url, mayRead, keepsPlace: true });
  const [refusal] = refusals;
  return refusal ?? found;
};

/**
 * Reads one of many pages of a site, so its robots.txt is respected, also where redirects lead (decision 0040). At a
 * site that is at its limit, the page keeps its place.
 */
export const readPageOfMany = (ctx: Ctx<"links">, { url }: { url: string }): Promise<PageAttempt> =>
  shareReading(ctx, `one of many ${url}`, () => readAllowed(ctx, url));
