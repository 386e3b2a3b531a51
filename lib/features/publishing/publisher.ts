import "server-only";
import { setTimeout as delay } from "node:timers/promises";
import { and, eq, isNull, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import { isTaken } from "#db/sql.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { AccountId, AttemptId } from "#lib/core/ids.ts";
import { addMs, MINUTE_MS, msUntil, SECOND_MS } from "#lib/core/time.ts";
import { withAccessToken } from "#lib/features/accounts/access-tokens.ts";
import type { Attempt, Pin } from "#lib/features/pins/queries.ts";
import type { CreatePinOutcome, NewPinterestPin, PinterestProblem } from "#lib/integrations/pinterest/port.ts";
import { applyRuling, settleAttempt } from "./attempts.ts";
import {
  BREAKDOWNS_MAX,
  CALL_AGAIN_MS,
  CALL_START_MS,
  NAP_LONGEST_MS,
  PATIENCE_MS,
  QUEUE_GAP_MS,
  TEXTS,
  WAIT_IN_STEP_MS,
} from "./constants.ts";
import { isUnclear, type Move } from "./policy.ts";
import { countAhead, findAttempt, type Locked, lockScheduledPin, type PublishingAccount } from "./queries.ts";
import type { PinAttempt, ScheduledPin } from "./schema.ts";

/** What a run does next; to look, it needs to know for which attempt. */
type Published = Exclude<Move, { kind: "look" }> | (Extract<Move, { kind: "look" }> & { attemptId: AttemptId });

/** Waits, unless the process is told to end meanwhile. */
const wait = (ms: number, stopping: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal: stopping }).catch((error: unknown) => {
    if (!stopping.aborted) throw error;
  });

/** Claims a pin that is due, makes its one call and settles by the answer. */
const publishIfDue = async (ctx: Ctx<"pinterest" | "storage">, scheduled: ScheduledPin): Promise<Published> => {
  // Nothing begins in a process that is about to end; the next one goes on.
  if (ctx.stopping.aborted) return { kind: "wait", afterMs: SECOND_MS };
  const claim = await claimPin(ctx, scheduled);
  if (claim.kind !== "attempt") return claim;
  const attempt = { ...scheduled, attemptId: claim.attemptId };
  await sendPin(ctx, attempt);
  const move = await settleAttempt(ctx, attempt);
  return move.kind === "look" ? { ...move, attemptId: claim.attemptId } : move;
};

/**
 * Takes a pin as far as it goes at once; one that is due in a moment is waited for, while others of its account have
 * their turn. Claiming, calling and settling each commit by themselves, so that a run that died anywhere is taken up
 * where it was.
 */
export const publishDuePin = async (
  ctx: Ctx<"pinterest" | "storage">,
  { accountId, ...scheduled }: ScheduledPin & { accountId: AccountId },
): Promise<Published> => {
  for (;;) {
    const published = await takeTurn(accountId, () => publishIfDue(ctx, scheduled));
    if (published.kind !== "wait" || published.afterMs > WAIT_IN_STEP_MS) return published;
    if (ctx.stopping.aborted) return { kind: "wait", afterMs: SECOND_MS };
    await wait(published.afterMs, ctx.stopping);
  }
};

/** An attempt to work on, new or left open by somebody who died, or why there is none now. */
type Claim = { kind: "attempt"; attemptId: AttemptId } | Exclude<Move, { kind: "look" }>;

/** When the pin may go out at the earliest: when due, and after the account's pause in the order of the queue. */
const earliestStart = async (tx: Ctx, pin: Pin, account: PublishingAccount): Promise<Date> => {
  const now = tx.now();
  const scheduledAt = pin.scheduledAt ?? now;
  if (scheduledAt > now || !account.pausedUntil || account.pausedUntil <= now) return scheduledAt;
  return addMs(account.pausedUntil, (await countAhead(tx, { ...pin, scheduledAt })) * QUEUE_GAP_MS);
};

/** A new attempt. One for a pin that may be published already only looks: it begins as if its call were unclear. */
const openAttempt = async (tx: Ctx, pin: Pin): Promise<AttemptId> => {
  const id = tx.newId("attempt");
  const armedAt = tx.now();
  // The pin is locked: nobody else counts at the same time.
  const number = sql`(select coalesce(max(number), 0) + 1 from ${publishAttempts} where pin_id = ${pin.id})`;
  const looking = { state: "calling", answeredAt: armedAt, problem: "unknown", note: TEXTS.looksFirst } as const;
  await tx.db.insert(publishAttempts).values({
    id,
    pinId: pin.id,
    scheduleGeneration: pin.scheduleGeneration,
    number,
    armedAt,
    ...(pin.mayBePublished ? looking : { state: "armed" }),
  });
  return id;
};

const claimLocked = async (tx: Ctx, { pin, account, open }: Locked): Promise<Claim> => {
  const now = tx.now();
  if (open) {
    await tx.db
      .update(pins)
      .set({ wakeAt: addMs(now, PATIENCE_MS) })
      .where(eq(pins.id, pin.id));
    return { kind: "attempt", attemptId: open.id };
  }
  const nothingOpen = { pinId: pin.id, attemptId: null };
  if (account.status === "removed") {
    await applyRuling(tx, nothingOpen, {
      kind: "draft",
      outcome: "abandoned",
      reason: TEXTS.accountRemoved,
      mayBePublished: false,
    });
    return { kind: "done", result: "draft" };
  }
  const start = await earliestStart(tx, pin, account);
  if (start > now) {
    const isDue = pin.scheduledAt !== null && pin.scheduledAt <= now;
    await tx.db
      .update(pins)
      .set({ wakeAt: start, ...(isDue && { reason: pin.reason ?? TEXTS.accountPaused }) })
      .where(eq(pins.id, pin.id));
    return { kind: "wait", afterMs: Math.min(NAP_LONGEST_MS, msUntil(start, now)) };
  }
  if (account.status === "reconnect_needed") {
    await applyRuling(tx, nothingOpen, { kind: "held", outcome: "later", reason: TEXTS.awaitsReconnect });
    return { kind: "done", result: "held" };
  }
  const attemptId = await openAttempt(tx, pin);
  await tx.db
    .update(pins)
    .set({ reason: null, wakeAt: addMs(now, PATIENCE_MS) })
    .where(eq(pins.id, pin.id));
  return { kind: "attempt", attemptId };
};

/**
 * Takes a due pin in hand: opens its attempt (`armed`), or finds the one that is open already, so that a run may
 * begin anywhere. Decides about time and state; makes no call (R-SRV-03).
 */
export const claimPin = (ctx: Ctx, scheduled: ScheduledPin): Promise<Claim> =>
  inTransaction(ctx, async (tx) => {
    const locked = await lockScheduledPin(tx, scheduled);
    return locked ? claimLocked(tx, locked) : { kind: "done", result: "superseded" };
  });

/** Per account the end of whatever came last. */
const lasts = new Map<AccountId, Promise<void>>();

/**
 * Works for an account when all that came before in this process is done: in the order of coming, one at a time.
 * Keeps a provider from being called for several pins of one account at once; no correctness depends on it.
 */
export const takeTurn = async <R>(accountId: AccountId, work: () => Promise<R>): Promise<R> => {
  const result = (lasts.get(accountId) ?? Promise.resolve()).then(work);
  const over = result.then(
    () => {},
    () => {},
  );
  lasts.set(accountId, over);
  try {
    return await result;
  } finally {
    if (lasts.get(accountId) === over) lasts.delete(accountId);
  }
};

/**
 * Lets go of a pin whose run broke down for good (the database or the storage did not answer). The sweep starts
 * another run after a growing pause; when that has happened too often, the pin fails with a reason.
 */
export const releasePin = (ctx: Ctx, scheduled: ScheduledPin): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    const locked = await lockScheduledPin(tx, scheduled);
    if (!locked) return;
    const { pin, open } = locked;
    if (pin.breakdowns < BREAKDOWNS_MAX) {
      const wakeAt = addMs(tx.now(), MINUTE_MS * 2 ** pin.breakdowns);
      await tx.db
        .update(pins)
        .set({ wakeAt, breakdowns: pin.breakdowns + 1, reason: TEXTS.ourFaultAgain })
        .where(eq(pins.id, pin.id));
      return;
    }
    const on = { pinId: pin.id, attemptId: open?.id ?? null };
    const mayBePublished = pin.mayBePublished || (open !== null && isUnclear(open));
    await applyRuling(tx, on, {
      kind: "failed",
      outcome: mayBePublished ? "unclear" : "abandoned",
      reason: mayBePublished ? TEXTS.unclear : TEXTS.ourFault,
      mayBePublished,
    });
  });

/** `not_called`: this run made no call, because it is not the attempt's turn (any more). */
type CreateResult = { kind: "answered" } | { kind: "not_called" };

type Answer = CreatePinOutcome | { kind: "not_called" };

/** The one way from `armed` to `calling`; committed before anything is sent, so that nobody calls twice (R-SRV-03). */
const beginCall = (ctx: Ctx, input: PinAttempt): Promise<Date | null> =>
  inTransaction(ctx, async (tx) => {
    const locked = await lockScheduledPin(tx, input);
    if (locked?.open?.id !== input.attemptId || locked.account.status === "removed") return null;
    const calledAt = tx.now();
    const begun = await tx.db
      .update(publishAttempts)
      .set({ state: "calling", calledAt })
      .where(
        and(
          eq(publishAttempts.id, input.attemptId),
          eq(publishAttempts.state, "armed"),
          isNull(publishAttempts.answeredAt),
        ),
      )
      .returning({ id: publishAttempts.id });
    return begun.length > 0 ? calledAt : null;
  });

const toNewPin = (pin: Pin, jpeg: Uint8Array): NewPinterestPin => ({
  boardId: pin.boardId,
  title: pin.title,
  description: pin.description,
  altText: pin.altText,
  link: pin.link,
  jpeg,
  aiModified: pin.source === "ai",
});

const refusedByUs = (kind: PinterestProblem["kind"], text: string, retryAfterSeconds?: number): CreatePinOutcome => ({
  kind: "refused",
  problem: { kind, text, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) },
});

const call = async (
  ctx: Ctx<"pinterest">,
  input: PinAttempt,
  { pin, attempt }: { pin: Pin; attempt: Attempt },
  jpeg: Uint8Array,
): Promise<Answer> => {
  const isFirst = attempt.number === 1;
  let calledAt: Date | null = null;
  let beginsMs = 0;
  try {
    return await withAccessToken(ctx, pin.accountId, async (accessToken): Promise<Answer> => {
      // Asked a second time only when Pinterest refused the token, and so created nothing.
      if (!calledAt) {
        beginsMs = performance.now();
        calledAt = await beginCall(ctx, input);
        if (!calledAt) return { kind: "not_called" };
        if (performance.now() - beginsMs > CALL_START_MS) return refusedByUs("unavailable", TEXTS.notSent);
      } else if (performance.now() - beginsMs > CALL_AGAIN_MS) {
        // Its lease may be over, and others may have looked and sent anew.
        return refusedByUs("unavailable", TEXTS.notSent);
      }
      if (isFirst && pin.scheduledAt) ctx.log.set({ late_ms: calledAt.getTime() - pin.scheduledAt.getTime() });
      ctx.log.count("pinterest_creates");
      return ctx.pinterest.createPin(accessToken, toNewPin(pin, jpeg));
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "reconnect_needed") return refusedByUs("token_dead", error.message);
    if (error.retry) return refusedByUs("unavailable", error.message, error.retryAfterSeconds);
    throw error;
  }
};

const toColumns = (outcome: CreatePinOutcome) => {
  if (outcome.kind === "created") {
    return { pinterestPinId: outcome.pinterestPinId, httpStatus: outcome.httpStatus, note: outcome.note ?? null };
  }
  const { problem } = outcome;
  return {
    problem: outcome.kind === "unknown" ? ("unknown" as const) : problem.kind,
    problemText: problem.text,
    retryAfterSeconds: problem.retryAfterSeconds ?? null,
    httpStatus: problem.httpStatus ?? null,
    providerCode: problem.providerCode ?? null,
    providerMessage: problem.providerMessage ?? null,
  };
};

/** Writes the answer on the receipt. An id that another receipt bears was matched there: then only looking helps. */
const recordAnswer = async (ctx: Ctx, { attemptId }: PinAttempt, outcome: CreatePinOutcome): Promise<void> => {
  const isWaiting = and(eq(publishAttempts.id, attemptId), isNull(publishAttempts.answeredAt));
  const answeredAt = sql`now()`;
  ctx.log.set({ create_outcome: outcome.kind });
  try {
    await ctx.db
      .update(publishAttempts)
      .set({ ...toColumns(outcome), answeredAt })
      .where(isWaiting);
  } catch (error) {
    if (!isTaken(error)) throw error;
    await ctx.db.update(publishAttempts).set({ problem: "unknown", note: TEXTS.idTaken, answeredAt }).where(isWaiting);
  }
};

/**
 * Makes the one call of an attempt and writes its answer down. Run again after a crash it finds `calling` and makes no
 * call: what came of the first one is then for `settleAttempt` and `lookForPin` to find out.
 * @throws when the storage or the database does not answer before the call; nothing was sent then.
 */
export const sendPin = async (ctx: Ctx<"pinterest" | "storage">, input: PinAttempt): Promise<CreateResult> => {
  const found = await findAttempt(ctx, input);
  if (found?.attempt.state !== "armed" || found.attempt.answeredAt) return { kind: "not_called" };
  const jpeg = await ctx.storage.get(found.pin.imageKey);
  const answer = jpeg ? await call(ctx, input, found, jpeg) : refusedByUs("rejected", TEXTS.imageMissing);
  if (answer.kind === "not_called") return answer;
  await recordAnswer(ctx, input, answer);
  return { kind: "answered" };
};
