import "server-only";
import { and, asc, eq, gt, inArray, isNotNull, isNull, lte, ne, or, type SQL, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { linkChecks } from "#db/schema/links.ts";
import { pins } from "#db/schema/pins.ts";
import { deleteInBatches } from "#db/sql.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs, SECOND_MS } from "#lib/core/time.ts";
import { addEntries, dropEntries } from "#lib/features/notifications/digests.ts";
import {
  ANSWERING_STATES,
  FORGOTTEN_FIRST_MS,
  FORGOTTEN_LONGEST_MS,
  GONE_STATES,
  HOST_CHECKS_MAX,
  HOST_PAUSE_MS,
  HOST_WINDOW_MS,
  type LinkState,
  LOOKS_MAX,
  SECOND_LOOK_MS,
  SWEEP_BATCH,
  UNSETTLED_STATES,
} from "./constants.ts";
import { judge, pacedBy, warningOf } from "./policy.ts";
import { hashed, isAskableAgain, isOldCheck, isPinOf, type LinkList, toCheckEvent } from "./queries.ts";
import type { CheckRequested, LinkCheck } from "./schema.ts";

type Hashed = ReturnType<typeof hashed>;

/** Without those that need no check. A read first: the write below would lock the row of every address. */
const leaveOutFresh = async (tx: Ctx, asked: Hashed, isDue: SQL | undefined): Promise<Hashed> => {
  if (asked.length === 0) return [];
  const hashes = asked.map(({ urlHash }) => urlHash);
  const fresh = await tx.db
    .select({ urlHash: linkChecks.urlHash })
    .from(linkChecks)
    .where(and(inArray(linkChecks.urlHash, hashes), sql`${isDue} is not true`));
  const known = new Set(fresh.map(({ urlHash }) => urlHash));
  return asked.filter(({ urlHash }) => !known.has(urlHash));
};

/**
 * Asks that addresses be checked, in the transaction that writes the pins which lead there; afterwards the caller has
 * them announced. What was found within a day, and what is being checked, is left alone; an earlier verdict stays until
 * the new one. `isAgain`: somebody wants to know anew, so only what was found this moment is left alone.
 */
export const requestChecks = async (
  tx: Ctx,
  { links, isAgain = false }: LinkList & { isAgain?: boolean },
): Promise<void> => {
  const now = tx.now();
  const isDue = isAgain ? isAskableAgain(now) : isOldCheck(now);
  const asked = await leaveOutFresh(tx, hashed(links), isDue);
  if (asked.length === 0) return;
  const due = { requestedAt: now, wakeAt: addMs(now, FORGOTTEN_FIRST_MS), sweeps: 0 };
  const rows = asked.map((one) => ({ ...one, ...due, host: pacedBy(one.url), state: "pending" as const }));
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

/** What follows: it is done, or the same again after a while. `looks`: how often the page was asked by then. */
type CheckMove =
  | { kind: "done"; state: LinkCheck["state"] | "not_needed" }
  | { kind: "later"; afterMs: number; looks: number };

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

/** Says that a check which waits is alive, so that the sweep sends no other. */
const stayAlive = async (ctx: Ctx, urlHash: string): Promise<void> => {
  const wakeAt = addMs(await databaseTime(ctx), FORGOTTEN_FIRST_MS).toISOString();
  await ctx.db
    .update(linkChecks)
    .set({ wakeAt: sql`greatest(${linkChecks.wakeAt}, ${wakeAt}::timestamptz)` })
    .where(and(eq(linkChecks.urlHash, urlHash), isNotNull(linkChecks.wakeAt)));
};

const isUnsettled = ({ state }: LinkCheck): boolean => UNSETTLED_STATES.some((one) => one === state);

/**
 * Looks at an address and writes down what was found (R-SRV-08). A site that has had its share is asked later, also by
 * a redirect that leads there; a page
 * that did not answer is asked once more before anybody is told. Run twice it asks twice and writes once.
 */
export const checkLink = async (
  ctx: Ctx<"links">,
  { looks, ...request }: CheckRequested & { looks: number },
): Promise<CheckMove> => {
  const row = await findRequest(ctx, request);
  if (!row) return { kind: "done", state: "not_needed" };
  const { urlHash } = request;
  const turnComesLater = { kind: "later", afterMs: HOST_PAUSE_MS, looks } as const;
  if (!(await takePlace(ctx, { site: row.host, urlHash }))) return turnComesLater;
  const mayFollow = (to: string) => takePlace(ctx, { site: pacedBy(to), urlHash: null });
  const answer = await ctx.links.look(row.url, { mayFollow });
  if (answer.kind === "paced") {
    await stayAlive(ctx, urlHash);
    return turnComesLater;
  }
  const found = judge(row.url, answer);
  ctx.log.set({ link_state: found.state });
  if (isUnsettled(found) && looks + 1 < LOOKS_MAX) return { kind: "later", afterMs: SECOND_LOOK_MS, looks: looks + 1 };
  await recordCheck(ctx, { ...request, found });
  return { kind: "done", state: found.state };
};

/**
 * Writes down what was found, for this request alone: a second run, or a run of an earlier request, changes nothing.
 * A trigger tells the streams of everybody whose pins lead there; of a page that stopped answering a mail tells.
 */
export const recordCheck = (ctx: Ctx, { found, ...request }: CheckRequested & { found: LinkCheck }) =>
  inTransaction(ctx, async (tx) => {
    const isThis = and(
      eq(linkChecks.urlHash, request.urlHash),
      eq(linkChecks.requestedAt, new Date(request.requestedAt)),
      isNotNull(linkChecks.wakeAt),
    );
    const [row] = await tx.db
      .select({ url: linkChecks.url, before: linkChecks.state })
      .from(linkChecks)
      .where(isThis)
      .for("update");
    if (!row) return;
    await tx.db
      .update(linkChecks)
      .set({ ...found, checkedAt: tx.now(), wakeAt: null, sweeps: 0 })
      .where(isThis);
    await tellOwners(tx, { ...request, ...row, found });
  });

/** Who wants to ask: a check its own address (by its row's key), or where that redirects to (null). */
interface Asking {
  site: string;
  urlHash: string | null;
}

/** When redirects led to a site, in ms, within the last minute: in this process, as rate limits are (decision 0003). */
const hops = new Map<string, number[]>();
const SITES_MAX = 1_000;

const hopsOf = (site: string, nowMs: number): number[] =>
  (hops.get(site) ?? []).filter((atMs) => Math.abs(nowMs - atMs) < HOST_WINDOW_MS);

const noteHop = (site: string, nowMs: number): void => {
  hops.set(site, [...hopsOf(site, nowMs), nowMs]);
  if (hops.size <= SITES_MAX) return;
  for (const one of hops.keys()) if (hopsOf(one, nowMs).length === 0) hops.delete(one);
};

const lockSite = (tx: Ctx, site: string) =>
  tx.db.execute(sql`select pg_advisory_xact_lock(hashtext('link_host'), hashtext(${site}))`);

const countAsked = async (tx: Ctx, site: string, now: Date): Promise<number> => {
  const isOfNow = and(eq(linkChecks.host, site), gt(linkChecks.askedAt, addMs(now, -HOST_WINDOW_MS)));
  return (await tx.db.$count(linkChecks, isOfNow)) + hopsOf(site, now.getTime()).length;
};

/** Says that a check asks now, or that it waits and is alive, so that the sweep sends no other. */
const tellCheck = async (tx: Ctx, urlHash: string, now: Date, hasPlace: boolean): Promise<void> => {
  const wakeAt = addMs(now, FORGOTTEN_FIRST_MS).toISOString();
  await tx.db
    .update(linkChecks)
    .set(hasPlace ? { askedAt: now } : { wakeAt: sql`greatest(${linkChecks.wakeAt}, ${wakeAt}::timestamptz)` })
    .where(and(eq(linkChecks.urlHash, urlHash), isNotNull(linkChecks.wakeAt)));
};

/**
 * Whether a site may be asked now, one caller of a site after the other. Whoever asks says so first, so that others count
 * it: first requests in the database, redirects in this process. Redirects to a site without room wait with their check.
 */
const takePlace = (ctx: Ctx, { site, urlHash }: Asking): Promise<boolean> =>
  inTransaction(ctx, async (tx) => {
    await lockSite(tx, site);
    const now = await databaseTime(tx);
    const hasPlace = (await countAsked(tx, site, now)) < HOST_CHECKS_MAX;
    if (urlHash !== null) await tellCheck(tx, urlHash, now, hasPlace);
    else if (hasPlace) noteHop(site, now.getTime());
    return hasPlace;
  });

const isOneOf = (states: readonly LinkState[], state: LinkState): boolean => states.includes(state);

/** Whose drafts and scheduled pins lead there, each once; pins of a removed account are shown nowhere. */
const findOwners = async (tx: Ctx, url: string): Promise<UserId[]> => {
  const rows = await tx.db
    .selectDistinct({ userId: pins.userId })
    .from(pins)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, pins.accountId))
    .where(and(isPinOf(url), inArray(pins.status, ["draft", "scheduled"]), ne(pinterestAccounts.status, "removed")))
    .orderBy(pins.userId);
  // Rows of this table hold the ids of users.
  return rows.map(({ userId }) => userId);
};

/** A look that has just been written down, and what was known before. */
interface Turn extends CheckRequested {
  url: string;
  before: LinkState;
  found: LinkCheck;
}

/**
 * Has the owners told by mail of a page that answered and no longer does (R-SRV-04): one thing to tell for each owner
 * and link, of however many pins. What was not mailed yet when it answers again is not told. In the look's transaction.
 */
const tellOwners = async (tx: Ctx, { url, urlHash, requestedAt, before, found }: Turn): Promise<void> => {
  const [wasGone, isGone] = [isOneOf(GONE_STATES, before), isOneOf(GONE_STATES, found.state)];
  if (isGone && isOneOf(ANSWERING_STATES, before)) {
    const reason = warningOf(url, found) ?? "";
    const entry = { kind: "links_dead", about: urlHash, occasion: requestedAt, subject: url, reason } as const;
    const owners = await findOwners(tx, url);
    await addEntries(
      tx,
      owners.map((userId) => ({ ...entry, userId })),
    );
  } else if (wasGone && isOneOf(ANSWERING_STATES, found.state)) {
    await dropEntries(tx, { userIds: await findOwners(tx, url), kind: "links_dead", about: [urlHash] });
  }
};

/** Events for those of the addresses that wait for their first try. */
const sendEvents = async (ctx: Ctx<"jobs">, urlHashes: string[]): Promise<void> => {
  const waiting = await ctx.db
    .select()
    .from(linkChecks)
    .where(and(inArray(linkChecks.urlHash, urlHashes), isNotNull(linkChecks.wakeAt), eq(linkChecks.sweeps, 0)));
  await ctx.jobs.send(waiting.map(toCheckEvent));
};

/**
 * Has addresses checked whose request was just committed. Never throws, for the pins are written: what fails here the
 * sweep makes good.
 */
export const announceChecks = async (ctx: Ctx<"jobs">, { links }: LinkList): Promise<void> => {
  const urlHashes = hashed(links).map(({ urlHash }) => urlHash);
  if (urlHashes.length === 0) return;
  try {
    await sendEvents(ctx, urlHashes);
  } catch (error) {
    ctx.log.set({ links_problem: messageOf(error) });
  }
};

const takeForgotten = (tx: Ctx) => {
  const forgotten = tx.db
    .select({ urlHash: linkChecks.urlHash })
    .from(linkChecks)
    .where(lte(linkChecks.wakeAt, tx.now()))
    .orderBy(asc(linkChecks.wakeAt))
    .limit(SWEEP_BATCH)
    .for("update", { skipLocked: true });
  const pauseSeconds = sql`least(${FORGOTTEN_LONGEST_MS / SECOND_MS},
    ${FORGOTTEN_FIRST_MS / SECOND_MS} * power(2, least(${linkChecks.sweeps}, 20) + 1))`;
  return tx.db
    .update(linkChecks)
    .set({ sweeps: sql`${linkChecks.sweeps} + 1`, wakeAt: sql`now() + make_interval(secs => ${pauseSeconds})` })
    .where(inArray(linkChecks.urlHash, forgotten))
    .returning();
};

/**
 * Sends a new event for each link that nobody has checked after a while (DESIGN §5.6). @returns how many.
 * @throws when the engine does not take the events; they are due again after their pause.
 */
export const sweepChecks = async (ctx: Ctx<"jobs">): Promise<{ sent: number }> => {
  const swept = await inTransaction(ctx, takeForgotten);
  await ctx.jobs.send(swept.map(toCheckEvent));
  ctx.log.set({ links_swept: swept.length });
  return { sent: swept.length };
};

/** One look into the index of pins' links for each row. */
const isStray = sql`not exists (select from pins where ${isPinOf(linkChecks.url)})`;

/**
 * Forgets what was found behind links that nobody asked about or looked at for a month; those that no pin leads to any more, for
 * instance because its user has left, after a day (R-SRV-03). @returns how many.
 */
export const retireChecks = (ctx: Ctx): Promise<number> => {
  const untouched = (ms: number) => {
    const before = addMs(ctx.now(), -ms);
    const isCheckOld = or(isNull(linkChecks.checkedAt), lte(linkChecks.checkedAt, before));
    // A verdict that still counts may be the only one of a pin that is being written now.
    return and(lte(linkChecks.requestedAt, before), isCheckOld);
  };
  return deleteInBatches(ctx.db, {
    table: linkChecks,
    key: linkChecks.urlHash,
    where: or(untouched(RETENTION_MS.linkCheck), and(untouched(RETENTION_MS.strayLinkCheck), isStray)),
  });
};
