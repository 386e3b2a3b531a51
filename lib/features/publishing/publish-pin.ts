import "server-only";
import { setTimeout as delay } from "node:timers/promises";
import type { Ctx } from "#lib/context.ts";
import type { AccountId, AttemptId } from "#lib/core/ids.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { claimPin } from "./claim-pin.ts";
import { WAIT_IN_STEP_MS } from "./constants.ts";
import { createPin } from "./create-pin.ts";
import type { Move } from "./policy.ts";
import type { ScheduledPin } from "./schema.ts";
import { settleAttempt } from "./settle-attempt.ts";
import { takeTurn } from "./take-turn.ts";

/** What a run does next; to look, it needs to know for which attempt. */
export type Published = Exclude<Move, { kind: "look" }> | (Extract<Move, { kind: "look" }> & { attemptId: AttemptId });

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
  await createPin(ctx, attempt);
  const move = await settleAttempt(ctx, attempt);
  return move.kind === "look" ? { ...move, attemptId: claim.attemptId } : move;
};

/**
 * Takes a pin as far as it goes at once; one that is due in a moment is waited for, while others of its account have
 * their turn. Claiming, calling and settling each commit by themselves, so that a run that died anywhere is taken up
 * where it was.
 */
export const publishPin = async (
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
