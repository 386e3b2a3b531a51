import "server-only";
import { hash } from "node:crypto";
import { and, asc, count, desc, eq, getTableColumns, gte, lte, type SQL, sql } from "drizzle-orm";
import { users } from "#db/schema/identity.ts";
import { pageProposals, siteWatches } from "#db/schema/sites.ts";
import { isAnyOf } from "#db/sql.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { AppError, messageOf, requireUserId } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { addMs } from "#lib/core/time.ts";
import { lockUser } from "#lib/features/identity/users.ts";
import { pageOf } from "#lib/features/links/queries.ts";
import {
  CHECK_AGAIN_MS,
  CHECK_EVERY_MS,
  CHECKS_PER_ROUND,
  KNOWN_MAX,
  NEW_PAGE_MS,
  PROPOSALS_MAX,
  PROPOSALS_PER_CHECK,
  TEXTS,
  WATCHES_MAX,
} from "./constants.ts";
import { readSite, type SiteReading } from "./discovery.ts";
import { isTemporary, searchEntries, siteProblemText, suggestKeyword, titleOfUrl } from "./policy.ts";
import { pinnedBy } from "./queries.ts";
import type { DismissInput, PageEntry, WatchesWire, WatchInput, WatchSiteInput } from "./schema.ts";
import { toProposalWire, toWatchWire } from "./serializers.ts";

const { known: _, ...WATCH_COLUMNS } = getTableColumns(siteWatches);

export type Watch = Omit<typeof siteWatches.$inferSelect, "known">;
export type Proposal = typeof pageProposals.$inferSelect;

/** 48 bits: among 60,000 known pages, a new one is taken for known once in four billion times. */
const HASH_BYTES = 6;

const hashOf = (url: string): string => hash("sha256", url, "base64").slice(0, (HASH_BYTES * 4) / 3);

/** A known page is eight characters of base64. */
const KNOWN_CHARS = 8;

const readKnown = (known: string): Set<string> =>
  new Set(
    Array.from({ length: Math.floor(known.length / KNOWN_CHARS) }, (_one, at) =>
      known.slice(at * KNOWN_CHARS, (at + 1) * KNOWN_CHARS),
    ),
  );

/** At the end of known pages until a reading has listed the whole site. No base64 contains it. */
const PARTIAL = "~";

/** The pages that are there now come last, since those are the ones to keep. */
const writeKnown = (before: ReadonlySet<string>, now: readonly string[], isPartial: boolean): string => {
  const current = new Set(now);
  const known = [...[...before].filter((one) => !current.has(one)), ...current].slice(-KNOWN_MAX);
  return known.join("") + (isPartial ? PARTIAL : "");
};

/**
 * Proposals that no pin links to yet, in a query on `page_proposals`. Only pins with campaign tags are read, once; others
 * are found by the index on links.
 */
const isOpen = (userId: UserId): SQL | undefined => {
  const plain = sql`rtrim(${pageProposals.url}, '/')`;
  const spellings = sql`array[${pageProposals.url}, ${plain}, ${plain} || '/']`;
  const hashes = sql`array[md5(${pageProposals.url}), md5(${plain}), md5(${plain} || '/')]`;
  return and(
    eq(pageProposals.userId, userId),
    sql`not exists (select 1 from pins where md5(pins.link) = any (${hashes}) and pins.link = any (${spellings})
      and pins.user_id = ${userId} and pins.status <> 'deleted')`,
    sql`${pageOf(pageProposals.url)} not in (
      select ${pageOf(sql`pins.link`)} from ${pinnedBy(userId)} and pins.link ilike '%utm\_%')`,
  );
};

/** New pages that the user hasn't used or dismissed. `since`: only those that were found from then on. */
export const countProposals = async (
  ctx: Ctx,
  { userId, since }: { userId: UserId; since?: Date },
): Promise<number> => {
  const isRecentlyFound = since && gte(pageProposals.foundAt, since);
  const [row] = await ctx.db
    .select({ pages: count() })
    .from(pageProposals)
    .where(and(isOpen(userId), isRecentlyFound));
  return row?.pages ?? 0;
};

export const countOwnProposals = (ctx: Ctx): Promise<number> => countProposals(ctx, { userId: requireUserId(ctx) });

/** The user's watched sites by name, and the new pages of them, the newest first. */
export const listWatches = async (ctx: Ctx): Promise<WatchesWire> => {
  const userId = requireUserId(ctx);
  const [watches, proposals] = await Promise.all([
    ctx.db.select(WATCH_COLUMNS).from(siteWatches).where(eq(siteWatches.userId, userId)).orderBy(asc(siteWatches.name)),
    ctx.db
      .select()
      .from(pageProposals)
      .where(isOpen(userId))
      .orderBy(desc(pageProposals.foundAt), desc(pageProposals.publishedAt), asc(pageProposals.id))
      .limit(PROPOSALS_MAX),
  ]);
  return { watches: watches.map(toWatchWire), proposals: proposals.map(toProposalWire) };
};

/**
 * Remembers the pages that a site has now, so that later ones are proposed. Watching a site twice does nothing.
 * @throws AppError `refused` when it can't be read, or is a list; `wrong_state` when there are too many
 */
export const watchSite = async (ctx: Ctx<"links">, { text }: WatchSiteInput): Promise<WatchesWire> => {
  const userId = requireUserId(ctx);
  const found = await readSite(ctx, text);
  if (found.kind === "unread") throw new AppError("refused", { text: siteProblemText(found) });
  if (found.site === "list") throw new AppError("refused", { text: TEXTS.notWatchable });
  const { address, name, entries, isCut } = found;
  await inTransaction(ctx, async (tx) => {
    await lockUser(tx, userId);
    const isOther = and(eq(siteWatches.userId, userId), sql`${siteWatches.address} <> ${address}`);
    if ((await tx.db.$count(siteWatches, isOther)) >= WATCHES_MAX) {
      throw new AppError("wrong_state", { text: TEXTS.tooManyWatches });
    }
    const known = writeKnown(
      new Set(),
      entries.map(({ url }) => hashOf(url)),
      isCut,
    );
    const times = { createdAt: tx.now(), checkedAt: tx.now(), nextAt: addMs(tx.now(), CHECK_EVERY_MS) };
    await tx.db
      .insert(siteWatches)
      .values({ id: tx.newId("watch"), userId, address, name, known, ...times })
      .onConflictDoNothing({ target: [siteWatches.userId, siteWatches.address] });
  });
  return listWatches(ctx);
};

/** With its proposals. @throws AppError `not_found` for an unknown one or another user's */
export const unwatchSite = async (ctx: Ctx, { watchId }: WatchInput): Promise<WatchesWire> => {
  const isOwn = and(eq(siteWatches.id, watchId), eq(siteWatches.userId, requireUserId(ctx)));
  const { count: deleted } = await ctx.db.delete(siteWatches).where(isOwn);
  if (deleted === 0) throw new AppError("not_found");
  return listWatches(ctx);
};

/** They aren't proposed again. Those that are gone count as dismissed. @throws AppError `not_found` when none is known */
export const dismissProposals = async (ctx: Ctx, { proposalIds }: DismissInput): Promise<WatchesWire> => {
  const isOwn = and(isAnyOf(pageProposals.id, proposalIds), eq(pageProposals.userId, requireUserId(ctx)));
  const { count: deleted } = await ctx.db.delete(pageProposals).where(isOwn);
  if (deleted === 0) throw new AppError("not_found");
  return listWatches(ctx);
};

/** Watches to read now, of users who weren't deleted; the longest waiting first. */
export const findDueWatches = async (ctx: Ctx): Promise<string[]> => {
  const rows = await ctx.db
    .select({ id: siteWatches.id })
    .from(siteWatches)
    .innerJoin(users, eq(users.id, siteWatches.userId))
    .where(and(lte(siteWatches.nextAt, await databaseTime(ctx)), sql`${users.closedAt} is null`))
    .orderBy(asc(siteWatches.nextAt), asc(siteWatches.id))
    .limit(CHECKS_PER_ROUND);
  return rows.map(({ id }) => id);
};

const isRecent = ({ date }: PageEntry, now: Date): boolean => date === null || date > addMs(now, -NEW_PAGE_MS);

/** Stores what a reading found. Of two runs with the same watch, the first one counts. */
const recordReading = (ctx: Ctx, watch: Watch, found: SiteReading): Promise<number> =>
  inTransaction(ctx, async (tx) => {
    const isThis = and(eq(siteWatches.id, watch.id), eq(siteWatches.nextAt, watch.nextAt));
    const [row] = await tx.db.select({ known: siteWatches.known }).from(siteWatches).where(isThis).for("update");
    if (!row) return 0;
    const now = tx.now();
    if (found.kind === "unread") {
      const nextAt = addMs(now, isTemporary(found) ? CHECK_AGAIN_MS : CHECK_EVERY_MS);
      const problem = { problem: siteProblemText(found), failures: watch.failures + 1 };
      await tx.db
        .update(siteWatches)
        .set({ ...problem, checkedAt: now, nextAt })
        .where(isThis);
      return 0;
    }
    const before = readKnown(row.known);
    const wasPartial = row.known.endsWith(PARTIAL);
    const fresh = found.entries.filter((entry) => !before.has(hashOf(entry.url)) && isRecent(entry, now));
    // What the first whole listing adds may be as old as the rest.
    const candidates = wasPartial && !found.isCut ? [] : fresh.filter(({ url }) => !found.isBlocked(url));
    const free = PROPOSALS_MAX - (await countProposals(tx, watch));
    const max = Math.max(0, Math.min(PROPOSALS_PER_CHECK, free));
    const sorted = searchEntries(candidates, "");
    const [proposed, waiting] = [sorted.slice(0, max), new Set(sorted.slice(max))];
    if (proposed.length > 0) {
      const rows = proposed.map((entry) => ({
        ...{ id: tx.newId("proposal"), userId: watch.userId, watchId: watch.id, url: entry.url },
        ...{ title: entry.title ?? titleOfUrl(entry.url), keyword: suggestKeyword(entry) },
        ...{ imageUrl: entry.image, publishedAt: entry.date, foundAt: now },
      }));
      await tx.db.insert(pageProposals).values(rows).onConflictDoNothing();
    }
    // Those that wait for the next reading stay unknown.
    const hashes = found.entries.filter((entry) => !waiting.has(entry)).map(({ url }) => hashOf(url));
    const known = writeKnown(before, hashes, wasPartial && found.isCut);
    const done = { known, checkedAt: now, nextAt: addMs(now, CHECK_EVERY_MS) };
    await tx.db
      .update(siteWatches)
      .set({ ...done, problem: null, failures: 0 })
      .where(isThis);
    return proposed.length;
  });

/** Reads a watched site and proposes its new pages, and nothing more. Idempotent: one that isn't due is left alone. */
export const checkWatch = async (
  ctx: Ctx<"links">,
  { watchId }: WatchInput,
): Promise<{ kind: "checked" | "not_due"; proposed: number }> => {
  const isDue = and(eq(siteWatches.id, watchId), lte(siteWatches.nextAt, await databaseTime(ctx)));
  const [watch] = await ctx.db.select(WATCH_COLUMNS).from(siteWatches).where(isDue);
  if (!watch) return { kind: "not_due", proposed: 0 };
  const proposed = await recordReading(ctx, watch, await readSite(ctx, watch.address));
  return { kind: "checked", proposed };
};

/** After readings that failed on our side, so that they don't hold up others. Those that aren't due stay as they are. */
export const postponeWatches = async (
  ctx: Ctx,
  { watchIds }: { watchIds: readonly string[] },
): Promise<{ failed: number }> => {
  const now = await databaseTime(ctx);
  const isDue = and(isAnyOf(siteWatches.id, watchIds), lte(siteWatches.nextAt, now));
  const { count: failed } = await ctx.db
    .update(siteWatches)
    .set({
      nextAt: addMs(now, CHECK_AGAIN_MS),
      problem: TEXTS.readingFailed,
      failures: sql`${siteWatches.failures} + 1`,
    })
    .where(isDue);
  ctx.log.set({ sites_failed: failed });
  return { failed };
};

/** Reads watched sites at the same time, and postpones those whose reading fails on our side. */
export const checkWatches = async (
  ctx: Ctx<"links">,
  { watchIds }: { watchIds: readonly string[] },
): Promise<{ failed: number }> => {
  const results = await Promise.allSettled(watchIds.map((watchId) => checkWatch(ctx, { watchId })));
  const proposed = results.map((result) => (result.status === "fulfilled" ? result.value.proposed : 0));
  ctx.log.set({ pages_proposed: proposed.reduce((sum, pages) => sum + pages, 0) });
  const [reason] = results.flatMap((result) => (result.status === "rejected" ? [messageOf(result.reason)] : []));
  if (reason === undefined) return { failed: 0 };
  ctx.log.set({ problem: reason });
  return postponeWatches(ctx, { watchIds: watchIds.filter((_id, at) => results[at]?.status === "rejected") });
};
