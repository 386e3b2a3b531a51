import "server-only";
import { setTimeout as delay } from "node:timers/promises";
import { and, eq, isNull, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import { laterValue, preparedOnce } from "#db/sql.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { createTurns } from "#lib/core/concurrency.ts";
import { AppError } from "#lib/core/errors.ts";
import type { AccountId, AttemptId } from "#lib/core/ids.ts";
import { addMs, MINUTE_MS, msUntil, SECOND_MS } from "#lib/core/time.ts";
import { withAccessToken } from "#lib/features/accounts/access-tokens.ts";
import { readMedia } from "#lib/features/formats/pin-media.ts";
import { advanceVideo, forgetVideo } from "#lib/features/formats/video-uploads.ts";
import { TEXTS as PIN_TEXTS } from "#lib/features/pins/constants.ts";
import { type Attempt, findAttempts, type Pin } from "#lib/features/pins/queries.ts";
import { findStorageOutage } from "#lib/features/pins/storage-outages.ts";
import type {
  CreatePinOutcome,
  NewPinMedia,
  NewPinterestPin,
  PinterestProblem,
} from "#lib/integrations/pinterest/port.ts";
import { applyDecision, openAttempt, recordAnswer, recordRefusal, settleAttempt } from "./attempts.ts";
import {
  CALL_REPEAT_MAX_MS,
  CALL_START_MAX_MS,
  FAILED_RUNS_MAX,
  OUTAGE_WAIT_MS,
  STALE_AFTER_MS,
  TEXTS,
  WAIT_IN_STEP_MAX_MS,
} from "./constants.ts";
import { earliestStart } from "./pace.ts";
import { decideOnCreated, hasUnknownOutcome, type Move, scanAt } from "./policy.ts";
import { findAttempt, type Locked, lockScheduledPin } from "./queries.ts";
import { reconcilePin } from "./reconciliation.ts";
import type { PinAttempt, ScheduledPin } from "./schema.ts";

/** `prepare_video`: the pin's video has to get to Pinterest first, which may take minutes. */
type TurnMove = PublishMove | { kind: "prepare_video"; attemptId: AttemptId };

type PublishMove =
  | Exclude<Move, { kind: "check_board" }>
  | (Extract<Move, { kind: "check_board" }> & { attemptId: AttemptId });

const waitUnlessStopping = (ms: number, stopping: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal: stopping }).catch((error: unknown) => {
    if (!stopping.aborted) throw error;
  });

const publishIfDue = async (ctx: Ctx<"pinterest" | "storage">, scheduled: ScheduledPin): Promise<TurnMove> => {
  // A stopping process starts nothing; another one continues.
  if (ctx.stopping.aborted) return { kind: "wait", afterMs: SECOND_MS };
  const claim = await claimPin(ctx, scheduled);
  if (claim.kind !== "attempt") return claim;
  const attempt = { ...scheduled, attemptId: claim.attemptId };
  const sent = await sendPin(ctx, attempt);
  if (sent.kind === "storage_down") return waitForStorage(ctx, scheduled);
  if (sent.kind === "prepare_video") return { kind: sent.kind, attemptId: claim.attemptId };
  const move = await settleAttempt(ctx, attempt);
  return move.kind === "check_board" ? { ...move, attemptId: claim.attemptId } : move;
};

/** Outside of the account's turn, so that a long upload holds back no other pin. The attempt stays `armed`. */
const prepareVideo = async (ctx: Ctx<"pinterest" | "storage">, input: PinAttempt): Promise<PublishMove> => {
  const found = await findAttempt(ctx, input);
  if (found?.attempt.state !== "armed") return { kind: "wait", afterMs: 0 };
  const step = await advanceVideo(ctx, found.pin);
  if (step.kind === "storage_down") return waitForStorage(ctx, input);
  if (step.kind === "refused") await recordRefusal(ctx, input, step);
  return step.kind === "wait" ? waitForVideo(ctx, input, step) : { kind: "wait", afterMs: 0 };
};

/** Claiming, calling and settling commit separately, so a run can resume after a crash at any point. */
export const publishDuePin = async (
  ctx: Ctx<"pinterest" | "storage">,
  { accountId, ...scheduled }: ScheduledPin & { accountId: AccountId },
): Promise<PublishMove> => {
  for (;;) {
    const turn = await takeTurn(accountId, () => publishIfDue(ctx, scheduled));
    const move = turn.kind === "prepare_video" ? await prepareVideo(ctx, { ...scheduled, ...turn }) : turn;
    if (move.kind !== "wait" || move.afterMs > WAIT_IN_STEP_MAX_MS) return move;
    if (ctx.stopping.aborted) return { kind: "wait", afterMs: SECOND_MS };
    await waitUnlessStopping(move.afterMs, ctx.stopping);
  }
};

/** One step of a pin's way: publishes it if that is due, or checks its board. Safe to repeat at any time. */
export const advancePin = async (
  ctx: Ctx<"pinterest" | "storage" | "images" | "links">,
  requested: ScheduledPin & { accountId: AccountId },
): Promise<Move> => {
  const move = await publishDuePin(ctx, requested);
  if (move.kind !== "check_board" || move.afterMs > 0) return move;
  const { accountId, ...scheduled } = requested;
  return takeTurn(accountId, () => reconcilePin(ctx, { ...scheduled, attemptId: move.attemptId }));
};

type Claim = { kind: "attempt"; attemptId: AttemptId } | Exclude<Move, { kind: "check_board" }>;

/** The scan leaves the pin to this run until `wakeAt`. */
const keepStatement = preparedOnce((db) =>
  db
    .update(pins)
    .set({ wakeAt: laterValue("wakeAt", pins.wakeAt), sweeps: 0 })
    .where(eq(pins.id, sql.placeholder("pinId")))
    .prepare("keep_pin"),
);

const claimStatement = preparedOnce((db) =>
  db
    .update(pins)
    .set({ wakeAt: laterValue("wakeAt", pins.wakeAt), sweeps: 0, reason: null })
    .where(eq(pins.id, sql.placeholder("pinId")))
    .prepare("claim_pin"),
);

/** The attempt stays open: no call was made, so the next run continues with it. */
const delayForStorage = async (tx: Ctx, pin: Pin): Promise<{ kind: "wait"; afterMs: number }> => {
  await tx.db
    .update(pins)
    .set({ wakeAt: addMs(tx.now(), OUTAGE_WAIT_MS), sweeps: 0, reason: PIN_TEXTS.storageDown })
    .where(eq(pins.id, pin.id));
  return { kind: "wait", afterMs: OUTAGE_WAIT_MS };
};

const waitForStorage = (ctx: Ctx, scheduled: ScheduledPin): Promise<PublishMove> =>
  inTransaction(ctx, async (tx): Promise<PublishMove> => {
    const locked = await lockScheduledPin(tx, scheduled);
    return locked ? delayForStorage(tx, locked.pin) : { kind: "done", result: "superseded" };
  });

/** The run waits itself or, for longer, the scan starts another one. Another run may have gone on in the meantime. */
const waitForVideo = (
  ctx: Ctx,
  input: PinAttempt,
  { afterMs, reason }: { afterMs: number; reason: string },
): Promise<PublishMove> =>
  inTransaction(ctx, async (tx): Promise<PublishMove> => {
    const locked = await lockScheduledPin(tx, input);
    if (!locked) return { kind: "done", result: "superseded" };
    const { open } = locked;
    const isWaiting = open?.id === input.attemptId && open.state === "armed" && !open.answeredAt;
    if (!isWaiting) return { kind: "wait", afterMs: 0 };
    const now = tx.now();
    const notBefore = addMs(now, afterMs);
    const wait = { notBefore, wakeAt: scanAt(notBefore, now), sweeps: 0, reason };
    await tx.db.update(pins).set(wait).where(eq(pins.id, locked.pin.id));
    return { kind: "wait", afterMs };
  });

const waitUntil = async (
  tx: Ctx,
  pin: Pin,
  at: Date,
  change: { reason?: string | null } = {},
): Promise<{ kind: "wait"; afterMs: number }> => {
  await tx.db
    .update(pins)
    .set({ wakeAt: at, sweeps: 0, ...change })
    .where(eq(pins.id, pin.id));
  return { kind: "wait", afterMs: msUntil(at, tx.now()) };
};

const reasonToWait = (pin: Pin, isPaused: boolean, now: Date): string | null => {
  if (isPaused) return pin.reason ?? TEXTS.accountPaused;
  return pin.notBefore && pin.notBefore > now ? pin.reason : TEXTS.overdue;
};

const claimLocked = async (tx: Ctx, { pin, account, open }: Locked): Promise<Claim> => {
  const now = tx.now();
  const isPaused = account.pausedUntil !== null && account.pausedUntil > now;
  if (open) {
    if (open.state === "armed" && (await findStorageOutage(tx))) return delayForStorage(tx, pin);
    if (open.state === "armed" && !open.answeredAt && isPaused && account.pausedUntil) {
      return waitUntil(tx, pin, account.pausedUntil, { reason: reasonToWait(pin, isPaused, now) });
    }
    if (open.state === "armed" && pin.notBefore && pin.notBefore > now) return waitUntil(tx, pin, pin.notBefore);
    await keepStatement(tx.db).execute({ pinId: pin.id, wakeAt: addMs(now, STALE_AFTER_MS) });
    return { kind: "attempt", attemptId: open.id };
  }
  // An earlier call that was confirmed after it had been given up, such as while the pin was deleted.
  const created = (await findAttempts(tx, pin.id)).find(({ pinterestPinId }) => pinterestPinId !== null);
  const decision = created && decideOnCreated(created, now);
  if (decision) {
    await applyDecision(tx, { pinId: pin.id, attemptId: created.id }, decision);
    return { kind: "done", result: "published" };
  }
  const target = { pinId: pin.id, attemptId: null };
  if (account.status === "removed") {
    await applyDecision(tx, target, {
      kind: "draft",
      outcome: "abandoned",
      reason: TEXTS.accountRemoved,
      mayBePublished: false,
    });
    return { kind: "done", result: "draft" };
  }
  const isDue = pin.scheduledAt !== null && pin.scheduledAt <= now;
  const isHeld = account.status === "reconnect_needed";
  if (isDue && !isPaused && !isHeld && (await findStorageOutage(tx))) return delayForStorage(tx, pin);
  const start = isDue && !isPaused && isHeld ? now : await earliestStart(tx, pin, account);
  if (start > now) {
    return waitUntil(tx, pin, start, isDue ? { reason: reasonToWait(pin, isPaused, now) } : {});
  }
  if (isHeld) {
    await applyDecision(tx, target, { kind: "held", outcome: "later", reason: TEXTS.reconnectNeeded });
    return { kind: "done", result: "held" };
  }
  const attemptId = await openAttempt(tx, pin);
  await claimStatement(tx.db).execute({ pinId: pin.id, wakeAt: addMs(now, STALE_AFTER_MS) });
  return { kind: "attempt", attemptId };
};

/** Opens an attempt for a due pin (`armed`) or returns the open one, so a run can start anywhere. Makes no call. */
export const claimPin = (ctx: Ctx, scheduled: ScheduledPin): Promise<Claim> =>
  inTransaction(ctx, async (tx) => {
    const locked = await lockScheduledPin(tx, scheduled);
    return locked ? claimLocked(tx, locked) : { kind: "done", result: "superseded" };
  });

/** An account's work one at a time within this process, to spare Pinterest; correctness does not depend on it. */
const takeTurn = createTurns<AccountId>();

/** Releases a pin after its run failed for good. The scan starts another run after a backoff, within limits. */
export const releasePin = (ctx: Ctx, scheduled: ScheduledPin): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    const locked = await lockScheduledPin(tx, scheduled);
    if (!locked) return;
    const { pin, open } = locked;
    const now = tx.now();
    // Another run of it failed and is counted; the pin waits for its next one.
    if (pin.reason === TEXTS.internalErrorRetrying && pin.notBefore && pin.notBefore > now) return;
    if (pin.failedRuns < FAILED_RUNS_MAX) {
      const wakeAt = addMs(now, MINUTE_MS * 2 ** pin.failedRuns);
      await tx.db
        .update(pins)
        .set({
          wakeAt,
          notBefore: wakeAt,
          sweeps: 0,
          failedRuns: pin.failedRuns + 1,
          reason: TEXTS.internalErrorRetrying,
        })
        .where(eq(pins.id, pin.id));
      return;
    }
    const target = { pinId: pin.id, attemptId: open?.id ?? null };
    const mayBePublished = pin.mayBePublished || (open !== null && hasUnknownOutcome(open));
    await applyDecision(tx, target, {
      kind: "failed",
      outcome: mayBePublished ? "unclear" : "abandoned",
      reason: mayBePublished ? TEXTS.unclear : TEXTS.internalError,
      mayBePublished,
    });
  });

/** `not_called`: the attempt was not, or is no longer, waiting for its call. `storage_down`: it still is. */
type CreateResult = { kind: "answered" | "not_called" | "storage_down" | "prepare_video" };

type CallResult = CreatePinOutcome | { kind: "not_called" };

/** `hasCalled`: the attempt is `calling`, by this run. */
type Answer = { outcome: CreatePinOutcome; hasCalled: boolean } | { kind: "not_called" };

const beginStatement = preparedOnce((db) =>
  db
    .update(publishAttempts)
    .set({ state: "calling", calledAt: laterValue("calledAt", publishAttempts.calledAt) })
    .where(
      and(
        eq(publishAttempts.id, sql.placeholder("attemptId")),
        eq(publishAttempts.state, "armed"),
        isNull(publishAttempts.answeredAt),
      ),
    )
    .returning({ id: publishAttempts.id })
    .prepare("begin_call"),
);

/** The only way from `armed` to `calling`. It commits before anything is sent, so the call is made at most once. */
const beginCall = (ctx: Ctx, input: PinAttempt): Promise<Date | null> =>
  inTransaction(ctx, async (tx) => {
    const locked = await lockScheduledPin(tx, input);
    if (locked?.open?.id !== input.attemptId || locked.account.status === "removed") return null;
    const calledAt = tx.now();
    const begun = await beginStatement(tx.db).execute({ attemptId: input.attemptId, calledAt });
    return begun.length > 0 ? calledAt : null;
  });

const toNewPin = (pin: Pin, media: NewPinMedia): NewPinterestPin => ({
  boardId: pin.boardId,
  boardSectionId: pin.boardSectionId,
  title: pin.title,
  description: pin.description,
  altText: pin.altText,
  link: pin.link,
  media,
  aiModified: pin.source === "ai",
});

const refusedLocally = (
  kind: PinterestProblem["kind"],
  text: string,
  retryAfterSeconds?: number,
): CreatePinOutcome => ({
  kind: "refused",
  problem: { kind, text, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) },
});

const createAtPinterest = async (
  ctx: Ctx<"pinterest">,
  input: PinAttempt,
  { pin, attempt }: { pin: Pin; attempt: Attempt },
  media: NewPinMedia,
): Promise<Answer> => {
  const isFirst = attempt.number === 1;
  let calledAt: Date | null = null;
  let startedMs = 0;
  try {
    const result = await withAccessToken(ctx, pin.accountId, async (accessToken): Promise<CallResult> => {
      // Runs a second time only when Pinterest refused the token and therefore created nothing.
      if (!calledAt) {
        startedMs = performance.now();
        calledAt = await beginCall(ctx, input);
        if (!calledAt) return { kind: "not_called" };
        if (performance.now() - startedMs > CALL_START_MAX_MS) return refusedLocally("unavailable", TEXTS.notSent);
      } else if (performance.now() - startedMs > CALL_REPEAT_MAX_MS) {
        // The lease may have expired, so another worker may have checked the board and sent the pin.
        return refusedLocally("unavailable", TEXTS.notSent);
      }
      if (isFirst && pin.scheduledAt) ctx.log.set({ late_ms: calledAt.getTime() - pin.scheduledAt.getTime() });
      ctx.log.count("pinterest_creates");
      return ctx.pinterest.createPin(accessToken, toNewPin(pin, media));
    });
    return result.kind === "not_called" ? result : { outcome: result, hasCalled: true };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const hasCalled = calledAt !== null;
    if (error.code === "reconnect_needed") return { outcome: refusedLocally("token_dead", error.message), hasCalled };
    if (!error.retry) throw error;
    return { outcome: refusedLocally("unavailable", error.message, error.retryAfterSeconds), hasCalled };
  }
};

/** After a crash it makes no call; `reconcilePin` finds the outcome. @throws before the call: nothing was sent */
export const sendPin = async (ctx: Ctx<"pinterest" | "storage">, input: PinAttempt): Promise<CreateResult> => {
  const found = await findAttempt(ctx, input);
  if (found?.attempt.state !== "armed" || found.attempt.answeredAt) return { kind: "not_called" };
  const media = await readMedia(ctx, found.pin);
  if (media === "unavailable") return { kind: "storage_down" };
  if (media === "prepare_video") return { kind: "prepare_video" };
  const missing = found.pin.format === "image" ? TEXTS.imageMissing : TEXTS.fileMissing;
  const answer: Answer =
    media === "missing"
      ? { outcome: refusedLocally("rejected", missing), hasCalled: false }
      : await createAtPinterest(ctx, input, found, media);
  if ("kind" in answer) return answer;
  const { outcome, hasCalled } = answer;
  await (hasCalled ? recordAnswer : recordRefusal)(ctx, input, outcome);
  const isRejected = outcome.kind === "refused" && outcome.problem.kind === "rejected";
  if (found.pin.format === "video" && isRejected) await forgetVideo(ctx, found.pin);
  return { kind: "answered" };
};
