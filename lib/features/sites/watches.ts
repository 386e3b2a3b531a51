import "server-only";
import { and, asc, desc, eq, getTableColumns, inArray, lte, ne, not, sql } from "drizzle-orm";
import { users } from "#db/schema/identity.ts";
import { pageDismissals, pageProposals, siteWatches } from "#db/schema/sites.ts";
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
  CHECKED_AGAIN_SOON_MAX,
  CHECKS_PER_ROUND,
  NEW_PAGE_MS,
  PROPOSALS_MAX,
  PROPOSALS_PER_CHECK,
  TEXTS,
  WATCHES_MAX,
} from "./constants.ts";
import { readSite, readSiteAgain, type SiteReading } from "./discovery.ts";
import { hashOf, PARTIAL, readKnown, writeKnown } from "./known-pages.ts";
import { isTemporary, mayExist, searchEntries, siteProblemText, suggestKeyword, titleOfUrl } from "./policy.ts";
import { countProposals, findDismissed, findPages, isOpen } from "./proposals.ts";
import type { DismissInput, PageEntry, WatchesWire, WatchInput, WatchSiteInput } from "./schema.ts";
import { toProposalWire, toWatchWire } from "./serializers.ts";

const { known: _, ...WATCH_COLUMNS } = getTableColumns(siteWatches);

export type Watch = Omit<typeof siteWatches.$inferSelect, "known">;

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

/** Gives new pages of a watch to the user's other watches that list them, too. */
const handOver = async (tx: Ctx, userId: UserId, watchId: string): Promise<void> => {
  const { id, known } = siteWatches;
  const own = await tx.db
    .select({ id: pageProposals.id, url: pageProposals.url, page: pageOf(pageProposals.url) })
    .from(pageProposals)
    .where(eq(pageProposals.watchId, watchId));
  if (own.length === 0) return;
  const isOther = and(eq(siteWatches.userId, userId), ne(id, watchId));
  for (const other of await tx.db.select({ id, known }).from(siteWatches).where(isOther)) {
    const pages = readKnown(other.known);
    const listed = own.filter(({ url, page }) => pages.has(hashOf(url)) || pages.has(hashOf(page)));
    const isThere = sql`exists (select 1 from page_proposals as there
      where there.watch_id = ${other.id} and there.url = ${pageProposals.url})`;
    const ids = listed.map((page) => page.id);
    await tx.db
      .update(pageProposals)
      .set({ watchId: other.id })
      .where(and(isAnyOf(pageProposals.id, ids), not(isThere)));
  }
};

/** With its proposals that no other watch has. @throws AppError `not_found` for an unknown one or another user's */
export const unwatchSite = async (ctx: Ctx, { watchId }: WatchInput): Promise<WatchesWire> => {
  const userId = requireUserId(ctx);
  const isOwn = and(eq(siteWatches.id, watchId), eq(siteWatches.userId, userId));
  await inTransaction(ctx, async (tx) => {
    await lockUser(tx, userId);
    if ((await tx.db.$count(siteWatches, isOwn)) === 0) throw new AppError("not_found");
    await handOver(tx, userId, watchId);
    await tx.db.delete(siteWatches).where(isOwn);
  });
  return listWatches(ctx);
};

/**
 * None of the user's watches proposes these pages again. Proposals that no longer exist count as dismissed.
 * @throws AppError `not_found` when none is known
 */
export const dismissProposals = async (ctx: Ctx, { proposalIds }: DismissInput): Promise<WatchesWire> => {
  const userId = requireUserId(ctx);
  const [isOwn, page] = [eq(pageProposals.userId, userId), pageOf(pageProposals.url)];
  const pages = ctx.db
    .select({ page })
    .from(pageProposals)
    .where(and(isAnyOf(pageProposals.id, proposalIds), isOwn));
  await inTransaction(ctx, async (tx) => {
    await lockUser(tx, userId);
    const dismissed = await tx.db
      .delete(pageProposals)
      .where(and(isOwn, inArray(page, pages)))
      .returning({ page });
    if (dismissed.length === 0) throw new AppError("not_found");
    const hashes = new Set(dismissed.map((one) => hashOf(one.page)));
    await tx.db
      .insert(pageDismissals)
      .values([...hashes].map((hash) => ({ userId, page: hash, dismissedAt: tx.now() })))
      .onConflictDoNothing();
  });
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

/** Which of these pages weren't proposed or dismissed yet, each once, and hashes of those that were. */
const separateProposed = async (
  tx: Ctx,
  { userId, candidates, known }: { userId: UserId; candidates: readonly PageEntry[]; known: ReadonlySet<string> },
): Promise<{ open: PageEntry[]; proposed: string[] }> => {
  const pages = await findPages(
    tx,
    userId,
    candidates.map(({ url }) => url),
  );
  const dismissed = await findDismissed(
    tx,
    userId,
    pages.map(({ page }) => hashOf(page)),
  );
  const isDone = ({ page, isProposed }: (typeof pages)[number]) => isProposed || dismissed.has(hashOf(page));
  const byUrl = new Map(pages.map((page) => [page.url, page]));
  const open = new Map<string, PageEntry>();
  for (const entry of candidates) {
    const found = byUrl.get(entry.url) ?? { url: entry.url, page: entry.url, isProposed: false };
    // Older releases put dismissed pages there.
    const isKnown = known.has(hashOf(found.page));
    if (!isDone(found) && !isKnown && !open.has(found.page)) open.set(found.page, entry);
  }
  const proposed = pages.filter(isDone).map(({ page }) => hashOf(page));
  return { open: [...open.values()], proposed };
};

/** Stores what a reading found. Of two runs with the same watch, the first one counts. */
const recordReading = (ctx: Ctx, watch: Watch, found: SiteReading): Promise<number> =>
  inTransaction(ctx, async (tx) => {
    // A page that two watches find at the same time is proposed once.
    await lockUser(tx, watch.userId);
    const isThis = and(eq(siteWatches.id, watch.id), eq(siteWatches.nextAt, watch.nextAt));
    const [row] = await tx.db.select({ known: siteWatches.known }).from(siteWatches).where(isThis).for("update");
    if (!row) return 0;
    const now = tx.now();
    if (found.kind === "unread") {
      const isOfSite = !isTemporary(found);
      const isSoon = !isOfSite || (mayExist(found) && watch.failures < CHECKED_AGAIN_SOON_MAX);
      const nextAt = addMs(now, isSoon ? CHECK_AGAIN_MS : CHECK_EVERY_MS);
      const failures = watch.failures + (isOfSite ? 1 : 0);
      await tx.db
        .update(siteWatches)
        .set({ problem: siteProblemText(found), failures, checkedAt: now, nextAt })
        .where(isThis);
      return 0;
    }
    const before = readKnown(row.known);
    const wasPartial = row.known.endsWith(PARTIAL);
    // While the site is listed in part, a page that is new to us may be as old as the rest.
    const isNew = ({ url, date }: PageEntry) =>
      !before.has(hashOf(url)) && (date === null ? !wasPartial : date > addMs(now, -NEW_PAGE_MS));
    const fresh = found.entries.filter(isNew);
    // What the first whole listing adds may be as old as the rest.
    const candidates = wasPartial && !found.isCut ? [] : fresh.filter(({ url }) => !found.isBlocked(url));
    const { open, proposed: others } = await separateProposed(tx, { userId: watch.userId, candidates, known: before });
    const free = PROPOSALS_MAX - (await countProposals(tx, watch));
    const max = Math.max(0, Math.min(PROPOSALS_PER_CHECK, free));
    const sorted = searchEntries(open, "");
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
    const known = writeKnown(before, [...hashes, ...others], wasPartial && found.isCut);
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
  const proposed = await recordReading(ctx, watch, await readSiteAgain(ctx, watch));
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
    .set({ nextAt: addMs(now, CHECK_AGAIN_MS), problem: TEXTS.readingFailed })
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
