import "server-only";
import { eq, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { AttemptId } from "#lib/core/ids.ts";
import { addMs, msUntil } from "#lib/core/time.ts";
import type { Pin } from "#lib/features/pins/queries.ts";
import { applyRuling } from "./apply-ruling.ts";
import { NAP_LONGEST_MS, PATIENCE_MS, QUEUE_GAP_MS, TEXTS } from "./constants.ts";
import type { Move } from "./policy.ts";
import { countAhead, type Locked, lockScheduledPin, type PublishingAccount } from "./queries.ts";
import type { ScheduledPin } from "./schema.ts";

/** An attempt to work on, new or left open by somebody who died, or why there is none now. */
export type Claim = { kind: "attempt"; attemptId: AttemptId } | Exclude<Move, { kind: "look" }>;

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
