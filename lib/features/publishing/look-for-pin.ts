import "server-only";
import { eq } from "drizzle-orm";
import { isTaken } from "#db/is-taken.ts";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { addMs, msUntil } from "#lib/core/time.ts";
import { withAccessToken } from "#lib/features/accounts/use-access-token.ts";
import { type Attempt, findAttempts, type Pin } from "#lib/features/pins/queries.ts";
import type { PinterestAnswer, PinterestBoardPin, PinterestProblem } from "#lib/integrations/pinterest/port.ts";
import { applyRuling } from "./apply-ruling.ts";
import { ACCOUNT_LOOK_MS, CLOCK_SKEW_MS, FIRST_LOOK_MS, PATIENCE_MS } from "./constants.ts";
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
