import "server-only";
import { and, eq, isNull, sql } from "drizzle-orm";
import { isTaken } from "#db/is-taken.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { withAccessToken } from "#lib/features/accounts/use-access-token.ts";
import type { Attempt, Pin } from "#lib/features/pins/queries.ts";
import type { CreatePinOutcome, NewPinterestPin, PinterestProblem } from "#lib/integrations/pinterest/port.ts";
import { CALL_AGAIN_MS, CALL_START_MS, TEXTS } from "./constants.ts";
import { findAttempt, lockScheduledPin } from "./queries.ts";
import type { PinAttempt } from "./schema.ts";

/** `not_called`: this run made no call, because it is not the attempt's turn (any more). */
export type CreateResult = { kind: "answered" } | { kind: "not_called" };

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
export const createPin = async (ctx: Ctx<"pinterest" | "storage">, input: PinAttempt): Promise<CreateResult> => {
  const found = await findAttempt(ctx, input);
  if (found?.attempt.state !== "armed" || found.attempt.answeredAt) return { kind: "not_called" };
  const jpeg = await ctx.storage.get(found.pin.imageKey);
  const answer = jpeg ? await call(ctx, input, found, jpeg) : refusedByUs("rejected", TEXTS.imageMissing);
  if (answer.kind === "not_called") return answer;
  await recordAnswer(ctx, input, answer);
  return { kind: "answered" };
};
