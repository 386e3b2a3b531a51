import "server-only";
import { and, asc, eq, gt, inArray, isNotNull, isNull, lte, ne, or, sql } from "drizzle-orm";
import { linkChecks } from "#db/schema/links.ts";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import { isTaken } from "#db/sql.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { addMs, msUntil } from "#lib/core/time.ts";
import { withAccessToken } from "#lib/features/accounts/access-tokens.ts";
import { announceChecks, requestChecks } from "#lib/features/links/checks.ts";
import { hashOfLink, isOldCheck } from "#lib/features/links/queries.ts";
import { type Attempt, findAttempts, type Pin } from "#lib/features/pins/queries.ts";
import type { PinterestAnswer, PinterestBoardPin, PinterestProblem } from "#lib/integrations/pinterest/port.ts";
import { applyRuling } from "./attempts.ts";
import {
  ACCOUNT_LOOK_MS,
  CLOCK_SKEW_MS,
  FIRST_LOOK_MS,
  PATIENCE_MS,
  RECHECK_AHEAD_MS,
  RECHECK_BATCH,
  RESTORED_GENERATIONS,
  TEXTS,
  WAKE_GRACE_MS,
} from "./constants.ts";
import {
  isUnclear,
  type Move,
  nextLookAt,
  type Ruling,
  recognise,
  ruleOnFailedLook,
  ruleOnRemoval,
  ruleOnSighting,
} from "./policy.ts";
import { findAttempt, findIdsOnReceipts, findLastFailedLook, hasTwinOnItsWay, lockScheduledPin } from "./queries.ts";
import type { PinAttempt } from "./schema.ts";

type Listing = PinterestAnswer<PinterestBoardPin[]>;

const listBoard = async (ctx: Ctx<"pinterest">, pin: Pin, since: Date): Promise<Listing> => {
  try {
    ctx.log.count("pinterest_looks");
    return await withAccessToken(ctx, pin.accountId, (accessToken) =>
      ctx.pinterest.listBoardPinsSince(accessToken, pin.boardId, since),
    );
  } catch (error) {
    if (!(error instanceof AppError) || !(error.retry || error.code === "reconnect_needed")) throw error;
    const kind: PinterestProblem["kind"] = error.code === "reconnect_needed" ? "token_dead" : "unavailable";
    return { kind: "problem", problem: { kind, text: error.message } };
  }
};

/** From when on the pin may stand on the board: since the first of its attempts that never became clear. */
const searchSince = (attempts: readonly Attempt[]): Date => {
  const open = attempts.filter(({ outcome }) => outcome === null || outcome === "absent" || outcome === "unclear");
  return addMs(new Date(Math.min(...open.map(({ armedAt }) => armedAt.getTime()))), -CLOCK_SKEW_MS);
};

/** What a search told: what to note on the receipt, and the ruling if it was the last search. */
interface Judgement {
  noted: Partial<Attempt>;
  ruling: Ruling | null;
}

const judgeFailure = (open: Attempt, problem: PinterestProblem, lookedAt: Date): Judgement => {
  const retryAfterSeconds = problem.retryAfterSeconds ?? null;
  return {
    noted: { lookedAt, lookFailures: open.lookFailures + 1, retryAfterSeconds },
    ruling: ruleOnFailedLook(problem, open, lookedAt),
  };
};

/** Judges a listing under the pin's lock; null while a twin's call may still be on its way. */
const judge = async (tx: Ctx, pin: Pin, open: Attempt, listing: Listing): Promise<Judgement | null> => {
  const lookedAt = tx.now();
  if (listing.kind === "problem") return judgeFailure(open, listing.problem, lookedAt);
  // Asked after the listing was read: a twin's call that began later cannot have made a pin that stands on it.
  if (await hasTwinOnItsWay(tx, pin)) return null;
  const listedIds = listing.value.map(({ id }) => id);
  const sighting = recognise(pin, listing.value, await findIdsOnReceipts(tx, listedIds));
  const attempts = await findAttempts(tx, pin.id);
  const wasAbsentBefore = attempts.some(
    (other) => other.scheduleGeneration === pin.scheduleGeneration && other.outcome === "absent",
  );
  const looks = open.looks + 1;
  return {
    noted: { lookedAt, looks, lookFailures: 0, retryAfterSeconds: null },
    ruling: ruleOnSighting(sighting, { search: open, looks, wasAbsentBefore }, lookedAt),
  };
};

const lookAgainAt = async (tx: Ctx, pin: Pin, until: Date): Promise<Move> => {
  await tx.db
    .update(pins)
    .set({ wakeAt: addMs(until, PATIENCE_MS) })
    .where(eq(pins.id, pin.id));
  return { kind: "look", afterMs: msUntil(until, tx.now()) };
};

const conclude = (ctx: Ctx, input: PinAttempt, seen: Attempt, listing: Listing): Promise<Move> =>
  inTransaction(ctx, async (tx) => {
    const locked = await lockScheduledPin(tx, input);
    if (!locked) return { kind: "done", result: "superseded" };
    const { pin, open } = locked;
    if (open?.id !== input.attemptId) return { kind: "wait", afterMs: 0 };
    // Somebody else looked meanwhile: two looks at the same moment do not count as two.
    if (open.lookedAt?.getTime() !== seen.lookedAt?.getTime()) return lookAgainAt(tx, pin, nextLookAt(open));
    const judged = await judge(tx, pin, open, listing);
    if (!judged) return lookAgainAt(tx, pin, addMs(tx.now(), FIRST_LOOK_MS));
    const { noted, ruling } = judged;
    await tx.db.update(publishAttempts).set(noted).where(eq(publishAttempts.id, open.id));
    if (!ruling) return lookAgainAt(tx, pin, nextLookAt({ ...open, ...noted }));
    // Held: the attempt stays open, and its search goes on once the account is connected again.
    return applyRuling(tx, { pinId: pin.id, attemptId: ruling.kind === "held" ? null : open.id }, ruling);
  });

/** Ends the search of a pin whose account was removed: without tokens nobody can look. */
const giveUp = (ctx: Ctx, input: PinAttempt): Promise<Move> =>
  inTransaction(ctx, async (tx) => {
    const locked = await lockScheduledPin(tx, input);
    if (!locked) return { kind: "done", result: "superseded" };
    const { pin, open } = locked;
    const ruling = ruleOnRemoval(open, tx.now());
    if (ruling) return applyRuling(tx, { pinId: pin.id, attemptId: open?.id ?? null }, ruling);
    return { kind: "wait", afterMs: open ? msUntil(nextLookAt(open), tx.now()) : 0 };
  });

/**
 * Searches the board for a pin whose call had an unknown outcome (R-SRV-03): found → published under that id; absent
 * in two looks → one new attempt; absent again, or not to be searched → failed, and it may be published.
 * Looks only when it is time to; looking twice does no harm.
 */
export const lookForPin = async (ctx: Ctx<"pinterest">, input: PinAttempt): Promise<Move> => {
  const found = await findAttempt(ctx, input);
  if (!found || !isUnclear(found.attempt)) return { kind: "wait", afterMs: 0 };
  const { attempt, pin, account } = found;
  if (account.status === "removed") return giveUp(ctx, input);
  const now = await databaseTime(ctx);
  const failedAt = await findLastFailedLook(ctx, pin.accountId);
  const untilGapMs = failedAt ? msUntil(addMs(failedAt, ACCOUNT_LOOK_MS), now) : 0;
  const untilDueMs = Math.max(untilGapMs, msUntil(nextLookAt(attempt), now));
  if (untilDueMs > 0) return { kind: "look", afterMs: untilDueMs };
  const listing = await listBoard(ctx, pin, searchSince(await findAttempts(ctx, pin.id)));
  try {
    return await conclude(ctx, input, attempt, listing);
  } catch (error) {
    // Another search put this very pin on its receipt in the same moment.
    if (!isTaken(error)) throw error;
    return { kind: "look", afterMs: FIRST_LOOK_MS };
  }
};

const BATCH = 500;

/** What is open may have been called, or answered and tried again, after the copy was made. */
const settleOpenAttempts = (ctx: Ctx) =>
  ctx.db
    .update(publishAttempts)
    .set({ state: "settled", outcome: "unclear", settledAt: ctx.now(), note: TEXTS.restored })
    .where(and(ne(publishAttempts.state, "settled"), isNull(publishAttempts.pinterestPinId)));

/**
 * Gives each pin without an unclear attempt one that begins at the moment of the copy: a search of the board goes back
 * to it, and so finds what was published after.
 */
const addAttempts = async (ctx: Ctx, pinIds: readonly string[], takenAt: Date): Promise<void> => {
  const attempts = await ctx.db
    .select({
      pinId: publishAttempts.pinId,
      last: sql<number>`max(${publishAttempts.number})`.mapWith(Number),
      isUnclear: sql<boolean>`bool_or(${publishAttempts.outcome} = 'unclear')`,
    })
    .from(publishAttempts)
    .where(inArray(publishAttempts.pinId, [...pinIds]))
    .groupBy(publishAttempts.pinId);
  const known = new Map(attempts.map((row) => [row.pinId, row]));
  const wanted = pinIds.filter((pinId) => !known.get(pinId)?.isUnclear);
  if (wanted.length === 0) return;
  await ctx.db.insert(publishAttempts).values(
    wanted.map((pinId) => ({
      id: ctx.newId("attempt"),
      pinId,
      scheduleGeneration: 0,
      number: (known.get(pinId)?.last ?? 0) + 1,
      state: "settled" as const,
      outcome: "unclear" as const,
      armedAt: takenAt,
      settledAt: ctx.now(),
      note: TEXTS.restored,
    })),
  );
};

/** Failed, or deleted when it was: its owner may have brought it back and tried it again since. */
const hasFailed = or(eq(pins.status, "failed"), eq(pins.deletedFrom, "failed"));

const findPinIds = async (ctx: Ctx, afterId: string): Promise<string[]> => {
  const rows = await ctx.db
    .select({ id: pins.id })
    .from(pins)
    .where(and(or(eq(pins.status, "scheduled"), hasFailed), gt(pins.id, afterId)))
    .orderBy(asc(pins.id))
    .limit(BATCH);
  return rows.map(({ id }) => id);
};

/**
 * Makes a restored copy safe to run (R-SRV-03). It does not know what was published after the copy was made, so each
 * pin that was scheduled or failed then may be on its board: the board is searched back to that moment before anything
 * is sent. The schedules get numbers, and so events, that the lost database never used. Belongs into the transaction
 * that fills the database. @returns how many scheduled pins are looked for.
 */
export const markRestored = async (ctx: Ctx, input: { takenAt: Date }): Promise<{ scheduled: number }> => {
  await settleOpenAttempts(ctx);
  let afterId = "";
  for (;;) {
    const ids = await findPinIds(ctx, afterId);
    const last = ids.at(-1);
    if (last === undefined) break;
    await addAttempts(ctx, ids, input.takenAt);
    afterId = last;
  }
  await ctx.db.update(pins).set({ mayBePublished: true }).where(hasFailed);
  const now = ctx.now().toISOString();
  const marked = await ctx.db
    .update(pins)
    .set({
      mayBePublished: true,
      reason: TEXTS.restored,
      scheduleGeneration: sql`${pins.scheduleGeneration} + ${RESTORED_GENERATIONS}`,
      sweeps: 0,
      breakdowns: 0,
      // Past, so that the sweep starts it; the first due are first.
      wakeAt: sql`least(${pins.scheduledAt}, ${now}::timestamptz) - make_interval(secs => ${WAKE_GRACE_MS / 1_000 + 1})`,
      updatedAt: ctx.now(),
    })
    .where(eq(pins.status, "scheduled"));
  return { scheduled: marked.count };
};

/** Links of pins that go out soon and were not looked at for a day, or never. */
const findDue = async (ctx: Ctx, now: Date): Promise<(string | null)[]> => {
  const rows = await ctx.db
    .selectDistinct({ link: pins.link })
    .from(pins)
    .leftJoin(linkChecks, eq(linkChecks.urlHash, hashOfLink))
    .where(
      and(
        eq(pins.status, "scheduled"),
        isNotNull(pins.link),
        gt(pins.scheduledAt, now),
        lte(pins.wakeAt, addMs(now, RECHECK_AHEAD_MS)),
        or(isNull(linkChecks.urlHash), isOldCheck(now)),
      ),
    )
    .limit(RECHECK_BATCH);
  return rows.map(({ link }) => link);
};

/**
 * Has the links of pins that go out in the next hours looked at again. It holds no pin back: a warning shows, and its
 * owner decides. Run twice it finds nothing more to ask for. @returns how many.
 */
export const recheckDue = async (ctx: Ctx<"jobs">): Promise<{ asked: number }> => {
  const links = await findDue(ctx, await databaseTime(ctx));
  await inTransaction(ctx, (tx) => requestChecks(tx, { links }));
  await announceChecks(ctx, { links });
  ctx.log.set({ links_due: links.length });
  return { asked: links.length };
};
