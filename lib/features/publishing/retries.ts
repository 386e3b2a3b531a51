import "server-only";
import { and, asc, eq, gt, lt, notExists, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { AccountId, PinId } from "#lib/core/ids.ts";
import { addMs, MINUTE_MS, toIso } from "#lib/core/time.ts";
import { type OwnedAccount, requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { findStorageOutage } from "#lib/features/pins/storage-outages.ts";
import { BATCH_MAX, OVERDUE_AFTER_MS, OVERDUE_NOW_GAP_MINUTES, TEXTS } from "./constants.ts";
import { startScheduledPins } from "./due-pins.ts";
import { moveInTransaction, movePin } from "./scheduling.ts";
import type { OverdueInput, PublishedRestWire, RescheduledWire, ScheduledPin, ScheduledPinInput } from "./schema.ts";

/** @throws AppError `not_found`; `wrong_state` when it is published, failed, or being published */
export const publishNow = async (ctx: Ctx<"jobs">, { pinId }: ScheduledPinInput): Promise<RescheduledWire> => {
  const scheduledAt = await movePin(ctx, {
    pinId,
    from: ["draft", "scheduled"],
    refusal: TEXTS.notPublishable,
    timeOf: (now) => now,
  });
  return { scheduled_at: toIso(scheduledAt) };
};

/** If it may be published, the run checks the board first. @throws AppError `not_found`; `wrong_state` unless failed */
export const retryPin = async (ctx: Ctx<"jobs">, { pinId }: ScheduledPinInput): Promise<void> => {
  await movePin(ctx, { pinId, from: ["failed"], refusal: TEXTS.notFailed, timeOf: (now) => now });
};

/** In schedule order, at most a batch; none that is being published. */
const findOverduePins = async (ctx: Ctx, accountId: AccountId, now: Date): Promise<ScheduledPin[]> => {
  const isStarted = ctx.db
    .select({ id: publishAttempts.id })
    .from(publishAttempts)
    .where(and(eq(publishAttempts.pinId, pins.id), sql`${publishAttempts.state} <> 'settled'`));
  const rows = await ctx.db
    .select({ id: pins.id, scheduleGeneration: pins.scheduleGeneration })
    .from(pins)
    .where(
      and(
        eq(pins.accountId, accountId),
        eq(pins.status, sql`'scheduled'`),
        lt(pins.scheduledAt, addMs(now, -OVERDUE_AFTER_MS)),
        notExists(isStarted),
      ),
    )
    .orderBy(asc(pins.scheduledAt), asc(pins.id))
    .limit(BATCH_MAX);
  return rows.map(({ id, scheduleGeneration }) => ({ pinId: id as PinId, scheduleGeneration }));
};

/** Times from `start` on that keep a minute from each other and from the account's scheduled pins. */
const freeTimes = async (ctx: Ctx, accountId: AccountId, start: Date): Promise<() => Date> => {
  const gapMs = OVERDUE_NOW_GAP_MINUTES * MINUTE_MS;
  const isComing = gt(pins.scheduledAt, addMs(start, -gapMs));
  const rows = await ctx.db
    .select({ at: pins.scheduledAt })
    .from(pins)
    .where(and(eq(pins.accountId, accountId), eq(pins.status, sql`'scheduled'`), isComing))
    .orderBy(asc(pins.scheduledAt));
  const taken = rows.flatMap(({ at }) => (at ? [at.getTime()] : []));
  let nextMs = start.getTime();
  return () => {
    for (let first = taken[0]; first !== undefined && first < nextMs + gapMs; first = taken[0]) {
      if (first > nextMs - gapMs) nextMs = first + gapMs;
      taken.shift();
    }
    const at = new Date(nextMs);
    nextMs += gapMs;
    return at;
  };
};

/** Null when overdue pins may be published faster. */
const findHold = async (ctx: Ctx, account: OwnedAccount, now: Date): Promise<string | null> => {
  if (account.status === "reconnect_needed") return TEXTS.reconnectNeeded;
  if (account.pausedUntil && account.pausedUntil > now) return TEXTS.accountOnHold;
  return (await findStorageOutage(ctx)) ? TEXTS.storageOnHold : null;
};

/** Overdue pins that go out at their planned pace; 0 while they are on hold. @throws AppError `not_found` */
export const countOverdue = async (ctx: Ctx, input: OverdueInput): Promise<number> => {
  const account = await requireOwnedAccount(ctx, input.accountId);
  const now = await databaseTime(ctx);
  if ((await findHold(ctx, account, now)) !== null) return 0;
  return (await findOverduePins(ctx, account.id, now)).length;
};

/**
 * Reschedules an account's overdue pins in their order, a minute apart, into the free minutes from now on. Each pin moves on its own, so an
 * interruption leaves the others overdue. @throws AppError `not_found`; `wrong_state` while the account is on hold
 */
export const publishRest = async (ctx: Ctx<"jobs">, input: OverdueInput): Promise<PublishedRestWire> => {
  const account = await requireOwnedAccount(ctx, input.accountId);
  const start = await databaseTime(ctx);
  const hold = await findHold(ctx, account, start);
  if (hold !== null) throw new AppError("wrong_state", { text: hold });
  const overdue = await findOverduePins(ctx, account.id, start);
  const nextTime = await freeTimes(ctx, account.id, start);
  const moved: PinId[] = [];
  let scheduledAt = nextTime();
  for (const { pinId, scheduleGeneration: generation } of overdue) {
    const from = ["scheduled" as const];
    const at = scheduledAt;
    const request = { pinId, generation, from, refusal: TEXTS.notScheduled, timeOf: () => at };
    try {
      const result = await inTransaction(ctx, (tx) => moveInTransaction(tx, request));
      if (result.kind !== "moved") continue;
      moved.push(pinId);
      scheduledAt = nextTime();
    } catch (error) {
      // Its run or its owner was faster.
      if (!(error instanceof AppError && error.code === "wrong_state")) throw error;
    }
  }
  ctx.log.set({ pins_scheduled: moved.length });
  await startScheduledPins(ctx, moved);
  return { moved: moved.length };
};
