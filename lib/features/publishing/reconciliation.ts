import "server-only";
import { and, asc, eq, gt, isNotNull, isNull, lte, ne, or, sql } from "drizzle-orm";
import { union } from "drizzle-orm/pg-core";
import { pinSlides } from "#db/schema/formats.ts";
import { linkChecks } from "#db/schema/links.ts";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import { storageState } from "#db/schema/storage.ts";
import { isAnyOf, isUniqueViolation } from "#db/sql.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { addMs, msUntil } from "#lib/core/time.ts";
import { withAccessToken } from "#lib/features/accounts/access-tokens.ts";
import { requestChecks, sendCheckEvents } from "#lib/features/links/checks.ts";
import { hashOfLink, isOldCheck } from "#lib/features/links/queries.ts";
import { type Attempt, findAttempts, type Pin } from "#lib/features/pins/queries.ts";
import type { PinterestBoardPin, PinterestProblem, PinterestResult } from "#lib/integrations/pinterest/port.ts";
import { applyDecision } from "./attempts.ts";
import {
  ACCOUNT_CHECK_GAP_MS,
  CLOCK_SKEW_MS,
  FIRST_CHECK_DELAY_MS,
  RECHECK_AHEAD_MS,
  RECHECK_BATCH,
  RESTORED_GENERATIONS,
  TEXTS,
} from "./constants.ts";
import { findLookalikes } from "./likeness.ts";
import {
  type Decision,
  decideOnFailedCheck,
  decideOnMatch,
  decideOnRemoval,
  findByImageOnly,
  findMatch,
  hasUnknownOutcome,
  type ImageMatches,
  latestCreation,
  type Move,
  nextBoardCheckAt,
  scanAt,
  type WantedPin,
} from "./policy.ts";
import {
  findAttempt,
  findLastFailedBoardCheck,
  findOpenSiblings,
  findRecordedPinIds,
  hasDuplicateInFlight,
  lockScheduledPin,
} from "./queries.ts";
import type { PinAttempt } from "./schema.ts";

type Listing = PinterestResult<PinterestBoardPin[]>;

const listBoard = async (ctx: Ctx<"pinterest">, pin: Pin, since: Date): Promise<Listing> => {
  try {
    ctx.log.count("pinterest_board_checks");
    return await withAccessToken(ctx, pin.accountId, (accessToken) =>
      ctx.pinterest.listBoardPinsSince(accessToken, pin, since),
    );
  } catch (error) {
    if (!(error instanceof AppError) || !(error.retry || error.code === "reconnect_needed")) throw error;
    const kind: PinterestProblem["kind"] = error.code === "reconnect_needed" ? "token_dead" : "unavailable";
    return { kind: "problem", problem: { kind, text: error.message } };
  }
};

/** The earliest time at which the pin could have been created: its first attempt with an unknown outcome. */
const searchSince = (attempts: readonly Attempt[]): Date => {
  const open = attempts.filter(({ outcome }) => outcome === null || outcome === "absent" || outcome === "unclear");
  return addMs(new Date(Math.min(...open.map(({ armedAt }) => armedAt.getTime()))), -CLOCK_SKEW_MS);
};

interface CheckEvaluation {
  recorded: Partial<Attempt>;
  decision: Decision | null;
}

const evaluateFailure = (open: Attempt, problem: PinterestProblem, boardCheckedAt: Date): CheckEvaluation => {
  const retryAfterSeconds = problem.retryAfterSeconds ?? null;
  return {
    recorded: { boardCheckedAt, failedBoardChecks: open.failedBoardChecks + 1, retryAfterSeconds },
    decision: decideOnFailedCheck(problem, open, boardCheckedAt),
  };
};

interface BoardCheck extends ImageMatches {
  listing: Listing;
}

const wantedOf = (pin: Pin, attempt: Attempt): WantedPin => ({ ...pin, createdBy: latestCreation(attempt) });

/** Pinterest may rewrite all texts of a pin, so pins that were created during a call are compared by image. */
const compareImages = async (
  ctx: Ctx<"images" | "links">,
  { pin, attempt, attempts }: { pin: Pin; attempt: Attempt; attempts: readonly Attempt[] },
  listing: Listing,
): Promise<BoardCheck> => {
  const listed = listing.kind === "problem" ? [] : listing.value;
  const listedIds = listed.map(({ id }) => id);
  const [recordedIds, siblings] = [await findRecordedPinIds(ctx, listedIds), await findOpenSiblings(ctx, pin)];
  const candidates = findByImageOnly(wantedOf(pin, attempt), listed, { recordedIds, attempts, siblings });
  return { listing, ...(await findLookalikes(ctx, pin.likeness, candidates)) };
};

/** Evaluates a listing under the pin's lock; null while a duplicate's call may be in flight. */
const evaluateListing = async (
  tx: Ctx,
  pin: Pin,
  open: Attempt,
  { listing, ...images }: BoardCheck,
): Promise<CheckEvaluation | null> => {
  const boardCheckedAt = tx.now();
  if (listing.kind === "problem") return evaluateFailure(open, listing.problem, boardCheckedAt);
  // Read after the listing: a duplicate's call that began later cannot have created a listed pin.
  if (await hasDuplicateInFlight(tx, pin)) return null;
  const listedIds = listing.value.map(({ id }) => id);
  const recordedIds = await findRecordedPinIds(tx, listedIds);
  const match = findMatch(wantedOf(pin, open), listing.value, recordedIds, images);
  const attempts = await findAttempts(tx, pin.id);
  const wasAbsentBefore = attempts.some(
    (other) => other.scheduleGeneration === pin.scheduleGeneration && other.outcome === "absent",
  );
  const boardChecks = open.boardChecks + 1;
  return {
    recorded: { boardCheckedAt, boardChecks, failedBoardChecks: 0, retryAfterSeconds: null },
    decision: decideOnMatch(match, { search: open, boardChecks, wasAbsentBefore }, boardCheckedAt),
  };
};

const scheduleBoardCheck = async (tx: Ctx, pin: Pin, until: Date): Promise<Move> => {
  const now = tx.now();
  await tx.db
    .update(pins)
    .set({ wakeAt: scanAt(until, now) })
    .where(eq(pins.id, pin.id));
  return { kind: "check_board", afterMs: msUntil(until, now) };
};

const settleBoardCheck = (ctx: Ctx, input: PinAttempt, before: Attempt, check: BoardCheck): Promise<Move> =>
  inTransaction(ctx, async (tx) => {
    const locked = await lockScheduledPin(tx, input);
    if (!locked) return { kind: "done", result: "superseded" };
    const { pin, open } = locked;
    if (open?.id !== input.attemptId) return { kind: "wait", afterMs: 0 };
    // Another worker checked in the meantime; two simultaneous checks count as one.
    if (open.boardCheckedAt?.getTime() !== before.boardCheckedAt?.getTime())
      return scheduleBoardCheck(tx, pin, nextBoardCheckAt(open));
    const evaluated = await evaluateListing(tx, pin, open, check);
    if (!evaluated) return scheduleBoardCheck(tx, pin, addMs(tx.now(), FIRST_CHECK_DELAY_MS));
    const { recorded, decision } = evaluated;
    await tx.db.update(publishAttempts).set(recorded).where(eq(publishAttempts.id, open.id));
    if (!decision) return scheduleBoardCheck(tx, pin, nextBoardCheckAt({ ...open, ...recorded }));
    // On hold: the attempt stays open, and checking resumes once the account is reconnected.
    return applyDecision(tx, { pinId: pin.id, attemptId: decision.kind === "held" ? null : open.id }, decision);
  });

const abandonReconciliation = (ctx: Ctx, input: PinAttempt): Promise<Move> =>
  inTransaction(ctx, async (tx) => {
    const locked = await lockScheduledPin(tx, input);
    if (!locked) return { kind: "done", result: "superseded" };
    const { pin, open } = locked;
    const decision = decideOnRemoval(open, tx.now());
    if (decision) return applyDecision(tx, { pinId: pin.id, attemptId: open?.id ?? null }, decision);
    return { kind: "wait", afterMs: open ? msUntil(nextBoardCheckAt(open), tx.now()) : 0 };
  });

/**
 * A match marks the pin published. After two checks without one, one new attempt follows; after that it fails, marked
 * "may be published".
 */
export const reconcilePin = async (ctx: Ctx<"pinterest" | "images" | "links">, input: PinAttempt): Promise<Move> => {
  const found = await findAttempt(ctx, input);
  if (!found || !hasUnknownOutcome(found.attempt)) return { kind: "wait", afterMs: 0 };
  const { attempt, pin, account } = found;
  if (account.status === "removed") return abandonReconciliation(ctx, input);
  const now = await databaseTime(ctx);
  const failedAt = await findLastFailedBoardCheck(ctx, pin.accountId);
  const untilGapMs = failedAt ? msUntil(addMs(failedAt, ACCOUNT_CHECK_GAP_MS), now) : 0;
  const delayMs = Math.max(untilGapMs, msUntil(nextBoardCheckAt(attempt), now));
  if (delayMs > 0) return { kind: "check_board", afterMs: delayMs };
  const attempts = await findAttempts(ctx, pin.id);
  const listing = await listBoard(ctx, pin, searchSince(attempts));
  const check = await compareImages(ctx, { pin, attempt, attempts }, listing);
  try {
    return await settleBoardCheck(ctx, input, attempt, check);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return { kind: "check_board", afterMs: FIRST_CHECK_DELAY_MS };
  }
};

const BATCH = 500;

/** An open attempt may have been called, or answered and retried, after the backup was taken. */
const settleOpenAttempts = (ctx: Ctx) =>
  ctx.db
    .update(publishAttempts)
    .set({ state: "settled", outcome: "unclear", settledAt: ctx.now(), note: TEXTS.restored })
    .where(and(ne(publishAttempts.state, "settled"), isNull(publishAttempts.pinterestPinId)));

/** Gives each pin an attempt dated to the backup, so that board checks go back that far. */
const addAttempts = async (ctx: Ctx, pinIds: readonly string[], takenAt: Date): Promise<void> => {
  const attempts = await ctx.db
    .select({
      pinId: publishAttempts.pinId,
      last: sql<number>`max(${publishAttempts.number})`.mapWith(Number),
    })
    .from(publishAttempts)
    .where(isAnyOf(publishAttempts.pinId, pinIds))
    .groupBy(publishAttempts.pinId);
  const numbers = new Map(attempts.map(({ pinId, last }) => [pinId, last]));
  await ctx.db.insert(publishAttempts).values(
    pinIds.map((pinId) => ({
      id: ctx.newId("attempt"),
      pinId,
      scheduleGeneration: 0,
      number: (numbers.get(pinId) ?? 0) + 1,
      state: "settled" as const,
      outcome: "unclear" as const,
      armedAt: takenAt,
      settledAt: ctx.now(),
      note: TEXTS.restored,
    })),
  );
};

/** Also pins deleted after a failure: their owner may have restored and retried them since. */
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

/** Checks boards for pins that may have gone out since. Must run in the transaction that fills the database. */
export const markRestored = async (ctx: Ctx, input: { takenAt: Date }): Promise<{ scheduled: number }> => {
  await settleOpenAttempts(ctx);
  // The storage may be another one than the backup's, which the next check marks.
  await ctx.db.delete(storageState);
  let afterId = "";
  for (;;) {
    const ids = await findPinIds(ctx, afterId);
    const last = ids.at(-1);
    if (last === undefined) break;
    await addAttempts(ctx, ids, input.takenAt);
    afterId = last;
  }
  await ctx.db.update(pins).set({ mayBePublished: true }).where(hasFailed);
  const marked = await ctx.db
    .update(pins)
    .set({
      mayBePublished: true,
      reason: TEXTS.restored,
      scheduleGeneration: sql`${pins.scheduleGeneration} + ${RESTORED_GENERATIONS}`,
      sweeps: 0,
      failedRuns: 0,
      wakeAt: sql`${pins.scheduledAt}`,
      notBefore: null,
      updatedAt: ctx.now(),
    })
    .where(eq(pins.status, "scheduled"));
  return { scheduled: marked.count };
};

/** Links of pins and slides due soon, whose checks are missing or old. */
const findDue = async (ctx: Ctx, now: Date): Promise<(string | null)[]> => {
  const isDue = and(
    eq(pins.status, "scheduled"),
    gt(pins.scheduledAt, now),
    lte(pins.wakeAt, addMs(now, RECHECK_AHEAD_MS)),
    or(isNull(linkChecks.urlHash), isOldCheck(now)),
  );
  const ofPins = ctx.db
    .select({ link: pins.link })
    .from(pins)
    .leftJoin(linkChecks, eq(linkChecks.urlHash, hashOfLink(pins.link)))
    .where(and(isNotNull(pins.link), isDue));
  const ofSlides = ctx.db
    .select({ link: pinSlides.link })
    .from(pins)
    .innerJoin(pinSlides, eq(pinSlides.pinId, pins.id))
    .leftJoin(linkChecks, eq(linkChecks.urlHash, hashOfLink(pinSlides.link)))
    .where(and(isNotNull(pinSlides.link), isDue));
  const rows = await union(ofPins, ofSlides).limit(RECHECK_BATCH);
  return rows.map(({ link }) => link);
};

/** Requests new checks for the links of pins due soon; results never hold a pin back. @returns how many. */
export const recheckDue = async (ctx: Ctx<"jobs">): Promise<{ requested: number }> => {
  const links = await findDue(ctx, await databaseTime(ctx));
  await inTransaction(ctx, (tx) => requestChecks(tx, { links }));
  await sendCheckEvents(ctx, { links });
  ctx.log.set({ links_due: links.length });
  return { requested: links.length };
};
