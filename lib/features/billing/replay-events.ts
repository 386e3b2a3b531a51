import "server-only";
import { and, eq, gte, isNotNull, isNull } from "drizzle-orm";
import { paymentEvents, payments } from "#db/schema/billing.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import { applyEvents } from "./apply-events.ts";
import { settleUser } from "./settle-user.ts";

/** Which: one event, all that occurred since a moment, or those whom a held payment belongs to. */
export type Replay = { kind: "event"; eventId: string } | { kind: "since"; since: Date } | { kind: "held" };

/** Takes the mark off stored events, so that they are applied once more. @returns how many */
const reopen = async (ctx: Ctx, replay: Exclude<Replay, { kind: "held" }>): Promise<number> => {
  const { eventId, occurredAt, fact } = paymentEvents;
  const which = replay.kind === "event" ? eq(eventId, replay.eventId) : gte(occurredAt, replay.since);
  const reopened = await ctx.db
    .update(paymentEvents)
    .set({ appliedAt: null, problem: null })
    .where(and(which, isNotNull(fact)))
    .returning({ eventId });
  return reopened.length;
};

const settleHeld = async (ctx: Ctx): Promise<number> => {
  const rows = await ctx.db
    .selectDistinct({ userId: payments.userId })
    .from(payments)
    .where(and(isNotNull(payments.heldReason), isNull(payments.grantedAt), isNotNull(payments.userId)));
  for (const { userId } of rows) {
    // Rows of this table hold ids of users.
    if (userId) await inTransaction(ctx, (tx) => settleUser(tx, { userId: userId as UserId }));
  }
  return rows.length;
};

/**
 * Applies stored events once more, or looks once more at payments that are held. What was given is not given again:
 * facts and causes are the same. Reports to support go out with the next sweep.
 * @returns how many events, or users, were looked at, and how many events could not be applied
 * @throws AppError `not_found` for an event that is not stored, or that nothing follows from
 */
export const replayEvents = async (ctx: Ctx, replay: Replay): Promise<{ looked: number; failed: number }> => {
  if (replay.kind === "held") return { looked: await settleHeld(ctx), failed: 0 };
  const looked = await reopen(ctx, replay);
  if (replay.kind === "event" && looked === 0) {
    throw new AppError("not_found", { text: "No such event is stored, or nothing follows from it." });
  }
  let failed = 0;
  for (let left = "more"; left === "more"; ) {
    const round = await applyEvents(ctx, { eventId: null });
    failed += round.failed;
    left = round.left;
    if (left === "another")
      throw new AppError("wrong_state", { text: "Events are being applied elsewhere; the rest follows there." });
  }
  return { looked, failed };
};
