import "server-only";
import { and, eq, gt, isNull, or } from "drizzle-orm";
import { pageReadings } from "#db/schema/pages.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { signText } from "#lib/core/crypto.ts";
import { addMs } from "#lib/core/time.ts";
import { rateLimitedSiteOf } from "#lib/features/links/policy.ts";
import { createTurns, type SiteWait } from "#lib/features/links/site-limits.ts";
import type { LinksPort, PageAnswer } from "#lib/integrations/links/port.ts";
import { FRESH_MS, FRESH_UNREAD_MS } from "./constants.ts";
import { readPageFacts } from "./facts.ts";
import type { UnreadReason } from "./policy.ts";
import { type PageReading, pageFacts } from "./schema.ts";

/** Only someone who knows the whole URL finds its reading; without our secret, no URL can be tested (decision 0040). */
const keyOf = (ctx: Ctx, url: string): string => signText(ctx.settings.tokenSecret, `page:${url}`);

const unread = (reason: UnreadReason, status: number | null = null): PageReading => ({
  kind: "unread",
  reason,
  status,
});

/** Of the last day, or of the last minutes for a page that couldn't be used. Null when there is none. */
export const findReading = async (ctx: Ctx, { url }: { url: string }): Promise<PageReading | null> => {
  const now = await databaseTime(ctx);
  const isFresh = or(
    and(isNull(pageReadings.reason), gt(pageReadings.readAt, addMs(now, -FRESH_MS))),
    gt(pageReadings.readAt, addMs(now, -FRESH_UNREAD_MS)),
  );
  const [row] = await ctx.db
    .select()
    .from(pageReadings)
    .where(and(eq(pageReadings.urlKey, keyOf(ctx, url)), isFresh));
  if (!row) return null;
  if (row.reason !== null) return { kind: "unread", reason: row.reason, status: row.status };
  // Another release may have stored other facts; then the page is read again.
  const facts = pageFacts.safeParse(row.facts);
  return facts.success ? { kind: "read", facts: facts.data } : null;
};

const storeReading = async (ctx: Ctx, url: string, reading: PageReading): Promise<void> => {
  const readAt = await databaseTime(ctx);
  const row =
    reading.kind === "read"
      ? { facts: reading.facts, reason: null, status: null, readAt }
      : { facts: null, reason: reading.reason, status: reading.status, readAt };
  await ctx.db
    .insert(pageReadings)
    .values({ urlKey: keyOf(ctx, url), ...row })
    .onConflictDoUpdate({ target: pageReadings.urlKey, set: row });
};

const toReading = (answer: Exclude<PageAnswer, { kind: "paced" }>): PageReading => {
  if (answer.kind === "status") return unread("status", answer.status);
  if (answer.kind !== "fetched") return unread(answer.kind);
  const content = readPageFacts(answer.html, answer.finalUrl);
  return content.kind === "read" ? content : unread(content.kind);
};

/** `later`: the site is at its limit of requests for now. */
export type PageAttempt = PageReading | { kind: "later"; afterMs: number };

interface ReadPageInput {
  url: string;
  mayRead?: (url: string) => Promise<boolean>;
  keepsPlace?: boolean;
}

const readOnce = async (
  ctx: Ctx<"links">,
  { url, mayRead, keepsPlace = false }: ReadPageInput,
): Promise<PageAttempt> => {
  const known = await findReading(ctx, { url });
  if (known) return known;
  const waits: SiteWait[] = [];
  const takeTurn = createTurns(ctx, keepsPlace ? keyOf(ctx, url) : null);
  const mayRequest = async (target: string) => {
    if (mayRead && !(await mayRead(target))) return false;
    const wait = await takeTurn(rateLimitedSiteOf(target));
    if (wait) waits.push(wait);
    return wait === null;
  };
  const answer = (await mayRequest(url))
    ? await ctx.links.fetchPage(url, { mayFollow: mayRequest })
    : ({ kind: "paced" } as const);
  if (answer.kind === "paced") return { kind: "later", afterMs: waits.at(-1)?.afterMs ?? 0 };
  const reading = toReading(answer);
  ctx.log.set({ page_outcome: reading.kind === "read" ? "read" : reading.reason });
  // Neither says anything about the page: being offline, and too little time because `mayRead` took some of it.
  const isAboutPage = answer.kind !== "offline" && !(mayRead && answer.kind === "no_answer");
  if (isAboutPage) await storeReading(ctx, url, reading);
  return reading;
};

/** Readings that run in this process, by client, so that those of several containers stay apart. */
const running = new WeakMap<LinksPort, Map<string, Promise<PageAttempt>>>();

/** Calls at the same time with the same key share one reading in this process. */
export const shareReading = (
  ctx: Ctx<"links">,
  key: string,
  read: () => Promise<PageAttempt>,
): Promise<PageAttempt> => {
  const readings = running.get(ctx.links) ?? new Map<string, Promise<PageAttempt>>();
  running.set(ctx.links, readings);
  const other = readings.get(key);
  if (other) return other;
  const own = read().finally(() => readings.delete(key));
  readings.set(key, own);
  return own;
};

/**
 * Reads a page unless it was read lately. Counts toward the limits of its sites as link checks do.
 * In two processes at the same time, the later one's reading stays.
 * @param keepsPlace at a site that is at its limit, a time is reserved for the page, whoever reads it then
 * @param mayRead asked before each request, also where redirects lead; after a no, the page is one for `later`
 */
export const readPage = (ctx: Ctx<"links">, input: ReadPageInput): Promise<PageAttempt> =>
  // What may be read there may differ from what others may read.
  input.mayRead
    ? readOnce(ctx, input)
    : shareReading(ctx, `${input.keepsPlace ? "turn" : "now"} ${input.url}`, () => readOnce(ctx, input));
