import "server-only";
import { and, asc, eq, inArray, isNotNull, isNull, lte, ne, or, type SQL, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { linkChecks } from "#db/schema/links.ts";
import { pins } from "#db/schema/pins.ts";
import { deleteInBatches, isAnyOf } from "#db/sql.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { PURGE_STEP_MS, RETENTION_MS } from "#lib/core/retention.ts";
import { addMs, SECOND_MS } from "#lib/core/time.ts";
import { addDigestEntries, removeDigestEntries } from "#lib/features/notifications/digests.ts";
import { recordWebhookEvent } from "#lib/features/webhooks/recording.ts";
import {
  DOWN_STATES,
  HOST_WINDOW_MS,
  INCONCLUSIVE_STATES,
  type LinkState,
  RETRY_DELAY_MS,
  STALLED_FIRST_MS,
  STALLED_MAX_MS,
  SWEEP_BATCH,
  TRIES_MAX,
  UP_STATES,
} from "./constants.ts";
import { evaluateAnswer, rateLimitedSiteOf, warningOf } from "./policy.ts";
import { hashed, isOldCheck, isRecheckable, isUnreferenced, type LinkList, leadsTo, toCheckEvent } from "./queries.ts";
import type { CheckProgress, CheckRequested, LinkCheck } from "./schema.ts";
import { reserveRedirect, reserveRequest, type SiteWait } from "./site-limits.ts";

type Hashed = ReturnType<typeof hashed>;

/** Leaves out links that need no check. Reading first keeps the write below from locking every link's row. */
const omitFresh = async (tx: Ctx, requested: Hashed, isDue: SQL | undefined): Promise<Hashed> => {
  if (requested.length === 0) return [];
  const hashes = requested.map(({ urlHash }) => urlHash);
  const fresh = await tx.db
    .select({ urlHash: linkChecks.urlHash })
    .from(linkChecks)
    .where(and(isAnyOf(linkChecks.urlHash, hashes), sql`${isDue} is not true`));
  const known = new Set(fresh.map(({ urlHash }) => urlHash));
  return requested.filter(({ urlHash }) => !known.has(urlHash));
};

/** In the pins' transaction; call `sendCheckEvents` after the commit. `isAgain` skips only seconds-old results. */
export const requestChecks = async (
  tx: Ctx,
  { links, isAgain = false }: LinkList & { isAgain?: boolean },
): Promise<void> => {
  const now = tx.now();
  const isDue = isAgain ? isRecheckable(now) : isOldCheck(now);
  const requested = await omitFresh(tx, hashed(links), isDue);
  if (requested.length === 0) return;
  const due = { requestedAt: now, wakeAt: addMs(now, STALLED_FIRST_MS), sweeps: 0 };
  const rows = requested.map((link) => ({
    ...link,
    ...due,
    host: rateLimitedSiteOf(link.url),
    state: "pending" as const,
  }));
  await tx.db
    .insert(linkChecks)
    .values(rows)
    .onConflictDoUpdate({
      target: linkChecks.urlHash,
      set: {
        host: sql`excluded.host`,
        requestedAt: sql`excluded.requested_at`,
        wakeAt: sql`excluded.wake_at`,
        sweeps: 0,
      },
      setWhere: isDue,
    });
};

type CheckMove =
  | { kind: "done"; state: LinkCheck["state"] | "not_needed" }
  | ({ kind: "later"; afterMs: number } & CheckProgress);

const findRequest = async (ctx: Ctx, { urlHash, requestedAt }: CheckRequested) => {
  const [row] = await ctx.db
    .select({ url: linkChecks.url, host: linkChecks.host })
    .from(linkChecks)
    .where(
      and(
        eq(linkChecks.urlHash, urlHash),
        eq(linkChecks.requestedAt, new Date(requestedAt)),
        isNotNull(linkChecks.wakeAt),
      ),
    );
  return row;
};

/** Moves the wake-up time of a waiting check, so that the sweep sends no other event. */
const postponeSweep = async (ctx: Ctx, urlHash: string, waitMs: number): Promise<void> => {
  const wakeAt = addMs(await databaseTime(ctx), waitMs + STALLED_FIRST_MS).toISOString();
  await ctx.db
    .update(linkChecks)
    .set({ wakeAt: sql`greatest(${linkChecks.wakeAt}, ${wakeAt}::timestamptz)` })
    .where(and(eq(linkChecks.urlHash, urlHash), isNotNull(linkChecks.wakeAt)));
};

const isInconclusive = ({ state }: LinkCheck): boolean => INCONCLUSIVE_STATES.some((known) => known === state);

/** Waits when a site on the way is at its limit, and tries a page that does not respond once more. */
export const checkLink = async (
  ctx: Ctx<"links">,
  { tries, reservedMs = null, ...request }: CheckRequested & Pick<CheckProgress, "tries"> & Partial<CheckProgress>,
): Promise<CheckMove> => {
  const row = await findRequest(ctx, request);
  if (!row) return { kind: "done", state: "not_needed" };
  const { urlHash } = request;
  const wait = await reserveRequest(ctx, { site: row.host, urlHash, reservedMs });
  if (wait) return { kind: "later", afterMs: wait.afterMs, tries, reservedMs: wait.untilMs };
  const redirectWaits: SiteWait[] = [];
  const mayFollow = async (to: string) => {
    const redirectWait = await reserveRedirect(ctx, rateLimitedSiteOf(to));
    if (redirectWait) redirectWaits.push(redirectWait);
    return redirectWait === null;
  };
  const answer = await ctx.links.check(row.url, { mayFollow });
  if (answer.kind === "paced") {
    const afterMs = redirectWaits.at(-1)?.afterMs ?? HOST_WINDOW_MS;
    await postponeSweep(ctx, urlHash, afterMs);
    return { kind: "later", afterMs, tries, reservedMs: null };
  }
  const found = evaluateAnswer(row.url, answer);
  ctx.log.set({ link_state: found.state });
  if (isInconclusive(found) && tries + 1 < TRIES_MAX)
    return { kind: "later", afterMs: RETRY_DELAY_MS, tries: tries + 1, reservedMs: null };
  await recordCheck(ctx, { ...request, found });
  return { kind: "done", state: found.state };
};

/** Records the result of this request only. A trigger notifies the live streams of the owners. */
export const recordCheck = (ctx: Ctx, { found, ...request }: CheckRequested & { found: LinkCheck }) =>
  inTransaction(ctx, async (tx) => {
    const isThis = and(
      eq(linkChecks.urlHash, request.urlHash),
      eq(linkChecks.requestedAt, new Date(request.requestedAt)),
      isNotNull(linkChecks.wakeAt),
    );
    const [row] = await tx.db
      .select({ url: linkChecks.url, state: linkChecks.state, isUp: linkChecks.isUp })
      .from(linkChecks)
      .where(isThis)
      .for("update");
    if (!row) return;
    const wasUp = isUpIn(row.state) ?? row.isUp;
    const isUp = isUpIn(found.state) ?? wasUp;
    await tx.db
      .update(linkChecks)
      .set({ ...found, isUp, checkedAt: tx.now(), wakeAt: null, sweeps: 0 })
      .where(isThis);
    await notifyOwners(tx, { ...request, url: row.url, wasUp, isUp, found });
  });

/** Null when a state says nothing about the page, such as `offline`. */
const isUpIn = (state: LinkState): boolean | null => {
  const isOneOf = (states: readonly LinkState[]) => states.includes(state);
  return isOneOf(UP_STATES) ? true : isOneOf(DOWN_STATES) ? false : null;
};

const findOwners = async (tx: Ctx, url: string): Promise<UserId[]> => {
  const rows = await tx.db
    .selectDistinct({ userId: pins.userId })
    .from(pins)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, pins.accountId))
    .where(and(leadsTo(url), inArray(pins.status, ["draft", "scheduled"]), ne(pinterestAccounts.status, "removed")))
    .orderBy(pins.userId);
  return rows.map(({ userId }) => userId);
};

interface CompletedCheck extends CheckRequested {
  url: string;
  wasUp: boolean | null;
  isUp: boolean | null;
  found: LinkCheck;
}

/** A digest entry per owner and link when a page stops responding; removed if it responds before the digest is sent. */
const notifyOwners = async (tx: Ctx, { url, urlHash, requestedAt, ...check }: CompletedCheck): Promise<void> => {
  const { wasUp, isUp, found } = check;
  if (wasUp === true && isUp === false) {
    const reason = warningOf(url, found) ?? "";
    const entry = { kind: "links_dead", about: urlHash, occasion: requestedAt, subject: url, reason } as const;
    const owners = await findOwners(tx, url);
    await addDigestEntries(
      tx,
      owners.map((userId) => ({ ...entry, userId })),
    );
    const data = () => ({ link: url, reason });
    const event = { type: "link.dead", subject: urlHash, occasion: requestedAt, data } as const;
    for (const userId of owners) await recordWebhookEvent(tx, { ...event, userId });
  } else if (wasUp === false && isUp === true) {
    await removeDigestEntries(tx, { userIds: await findOwners(tx, url), kind: "links_dead", about: [urlHash] });
  }
};

const sendEvents = async (ctx: Ctx<"jobs">, urlHashes: string[]): Promise<void> => {
  const waiting = await ctx.db
    .select()
    .from(linkChecks)
    .where(and(isAnyOf(linkChecks.urlHash, urlHashes), isNotNull(linkChecks.wakeAt), eq(linkChecks.sweeps, 0)));
  await ctx.jobs.send(waiting.map(toCheckEvent));
};

/** Sends the events of requested checks. Never throws, since the pins are already saved; the sweep sends the rest. */
export const sendCheckEvents = async (ctx: Ctx<"jobs">, { links }: LinkList): Promise<void> => {
  const urlHashes = hashed(links).map(({ urlHash }) => urlHash);
  if (urlHashes.length === 0) return;
  try {
    await sendEvents(ctx, urlHashes);
  } catch (error) {
    ctx.log.set({ links_problem: messageOf(error) });
  }
};

const claimStalledRuns = (tx: Ctx) => {
  const stalled = tx.db
    .select({ urlHash: linkChecks.urlHash })
    .from(linkChecks)
    .where(lte(linkChecks.wakeAt, tx.now()))
    .orderBy(asc(linkChecks.wakeAt))
    .limit(SWEEP_BATCH)
    .for("update", { skipLocked: true });
  const pauseSeconds = sql`least(${STALLED_MAX_MS / SECOND_MS},
    ${STALLED_FIRST_MS / SECOND_MS} * power(2, least(${linkChecks.sweeps}, 20) + 1))`;
  return tx.db
    .update(linkChecks)
    .set({ sweeps: sql`${linkChecks.sweeps} + 1`, wakeAt: sql`now() + make_interval(secs => ${pauseSeconds})` })
    .where(inArray(linkChecks.urlHash, stalled))
    .returning();
};

/** Sends new events for overdue checks. @returns how many. @throws when the engine does not take them. */
export const sweepChecks = async (ctx: Ctx<"jobs">): Promise<{ sent: number }> => {
  const swept = await inTransaction(ctx, claimStalledRuns);
  await ctx.jobs.send(swept.map(toCheckEvent));
  ctx.log.set({ links_swept: swept.length });
  return { sent: swept.length };
};

/** Checks not used for a month; without pins, after a day. Ends after about `maxMs`. @returns how many. */
export const purgeLinkChecks = (ctx: Ctx, maxMs = PURGE_STEP_MS): Promise<number> => {
  const untouched = (ms: number) => {
    const before = addMs(ctx.now(), -ms);
    const isCheckOld = or(isNull(linkChecks.checkedAt), lte(linkChecks.checkedAt, before));
    // A recent result may belong to a pin that is being saved now.
    return and(lte(linkChecks.requestedAt, before), isCheckOld);
  };
  return deleteInBatches(ctx.db, {
    table: linkChecks,
    key: linkChecks.urlHash,
    maxMs,
    where: or(
      untouched(RETENTION_MS.linkCheck),
      and(untouched(RETENTION_MS.strayLinkCheck), isUnreferenced(linkChecks.url)),
    ),
  });
};
