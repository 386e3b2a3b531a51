import "server-only";
import { and, eq, getTableColumns, inArray, ne, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import { isAnyOf } from "#db/sql.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { BatchId, PinId } from "#lib/core/ids.ts";
import { toIso } from "#lib/core/time.ts";
import { removeDigestEntries } from "#lib/features/notifications/digests.ts";
import type { PinStatus } from "#lib/features/pins/constants.ts";
import { lockPins } from "#lib/features/pins/guards.ts";
import { AT_REST } from "#lib/features/pins/policy.ts";
import { type Pin, requireOwnedPin, toPin } from "#lib/features/pins/queries.ts";
import { applyDecision, toPinChange } from "./attempts.ts";
import { SLOTS_MAX, TEXTS } from "./constants.ts";
import { startScheduledPins } from "./due-pins.ts";
import { planStart } from "./free-times.ts";
import { type Decision, decideOnUnscheduling, planSlots } from "./policy.ts";
import { lockScheduledPin } from "./queries.ts";
import type { RescheduledWire, ReschedulePinInput, ScheduleBatchInput, ScheduledPinInput } from "./schema.ts";

export interface ScheduledBatch {
  /** The new value of `pins.batch_id`, shared by all pins of the schedule. */
  batchId: BatchId;
  lastPublishAt: Date;
}

export interface PinTime {
  id: string;
  dueAt: Date;
  /** Of a pin that only moves: it stays in its schedule, with what was noted for that. */
  batchId?: string | null;
}

const toRow = ({ id, dueAt, ...kept }: PinTime, batchId: BatchId) => {
  return { id, due_at: dueAt.toISOString(), batch_id: kept.batchId ?? batchId };
};

/** Two parameters however many slots: a `case` over thousands of pins would be compared one by one. */
const writeSlots = async (tx: Ctx, slots: readonly PinTime[], batchId: BatchId): Promise<Pin[]> => {
  const now = tx.now();
  const times = JSON.stringify(slots.map((slot) => toRow(slot, batchId)));
  const rows = await tx.db
    .update(pins)
    .set({
      status: "scheduled",
      scheduledAt: sql`slot.due_at`,
      scheduleGeneration: sql`${pins.scheduleGeneration} + 1`,
      batchId: sql`slot.batch_id`,
      chosenAt: now,
      wakeAt: sql`slot.due_at`,
      notBefore: null,
      sweeps: 0,
      failedRuns: 0,
      reason: null,
      updatedAt: now,
    })
    .from(sql`json_to_recordset(${times}::json) as slot(id text, due_at timestamptz, batch_id text)`)
    .where(and(eq(pins.id, sql`slot.id`), eq(pins.status, "draft")))
    .returning(getTableColumns(pins));
  return rows.map(toPin);
};

/** All or none. The caller starts the pins. @throws AppError `not_found`; `wrong_state` when one is not a draft */
export const scheduleLocked = async (
  tx: Ctx,
  slots: readonly PinTime[],
): Promise<{ batch: ScheduledBatch; pinIds: PinId[] }> => {
  const own = await lockPins(tx, { pinIds: slots.map(({ id }) => id) });
  if (own.some(({ status }) => status !== "draft")) throw new AppError("wrong_state", { text: TEXTS.notDraft });
  const batchId = tx.newId("batch");
  const written = await writeSlots(tx, slots, batchId);
  if (written.length < slots.length) throw new AppError("wrong_state", { text: TEXTS.notDraft });
  const lastPublishAt = new Date(Math.max(...slots.map(({ dueAt }) => dueAt.getTime())));
  return { batch: { batchId, lastPublishAt }, pinIds: written.map(({ id }) => id) };
};

type SlotsOf = (now: Date) => readonly PinTime[];

/** `slotsOf` is called with the transaction's time; `also` writes what belongs to the schedule, in its transaction. */
const schedule = async (
  ctx: Ctx<"jobs">,
  slotsOf: SlotsOf,
  also?: (tx: Ctx, batch: ScheduledBatch) => Promise<void>,
): Promise<ScheduledBatch> => {
  const { batch, pinIds } = await inTransaction(ctx, async (tx) => {
    const scheduled = await scheduleLocked(tx, slotsOf(tx.now()));
    await also?.(tx, scheduled.batch);
    return scheduled;
  });
  ctx.log.set({ pins_scheduled: pinIds.length });
  await startScheduledPins(ctx, pinIds);
  return batch;
};

/** All or none. @throws AppError `not_found`, `invalid`; `wrong_state` when one is not a draft */
export const scheduleBatch = (ctx: Ctx<"jobs">, input: ScheduleBatchInput): Promise<ScheduledBatch> =>
  schedule(ctx, (now) => planSlots(input.pinIds, planStart(input.start, now), input.intervalMinutes));

/**
 * Schedules each draft for its own time, all or none; a time that just passed means now. `also` runs in the same
 * transaction, and undoes the schedule when it throws.
 * @throws AppError `invalid` without slots, with more than `SLOTS_MAX`, for a pin that is listed twice, and for a past
 * or too late time; `not_found`; `wrong_state` when one is not a draft
 */
export const scheduleAt = async (
  ctx: Ctx<"jobs">,
  slots: readonly PinTime[],
  also?: (tx: Ctx, batch: ScheduledBatch) => Promise<void>,
): Promise<ScheduledBatch> => {
  if (slots.length === 0) throw new AppError("invalid", { text: TEXTS.nothingSelected });
  if (slots.length > SLOTS_MAX) throw new AppError("invalid", { text: TEXTS.tooManySlots });
  if (new Set(slots.map(({ id }) => id)).size < slots.length) throw new AppError("invalid", { text: TEXTS.duplicates });
  return schedule(ctx, (now) => slots.map(({ id, dueAt }) => ({ id, dueAt: planStart(dueAt, now) })), also);
};

/** @throws AppError `not_found`; `invalid` for a past or too late time; `wrong_state` unless scheduled and unsent */
export const reschedulePin = async (ctx: Ctx<"jobs">, { pinId, at }: ReschedulePinInput): Promise<RescheduledWire> => {
  const scheduledAt = await movePin(ctx, {
    pinId,
    from: ["scheduled"],
    refusal: TEXTS.notScheduled,
    timeOf: (now) => planStart(at, now),
  });
  return { scheduled_at: toIso(scheduledAt) };
};

/**
 * Marked if its outcome is unknown. @throws AppError `not_found`; `wrong_state` when it is not scheduled, its call may
 * be in flight, or Pinterest already created it: then it is now published.
 */
export const unschedulePin = async (ctx: Ctx, input: ScheduledPinInput): Promise<void> => {
  const { pin } = await requireOwnedPin(ctx, input.pinId);
  const decision = await inTransaction(ctx, async (tx) => {
    const locked = await lockScheduledPin(tx, { pinId: pin.id, scheduleGeneration: pin.scheduleGeneration });
    if (!locked) throw new AppError("wrong_state", { text: TEXTS.notScheduled });
    const decided = decideOnUnscheduling(locked.open, tx.now());
    if (!decided) throw new AppError("wrong_state", { text: TEXTS.beingPublished });
    await applyDecision(tx, { pinId: pin.id, attemptId: locked.open?.id ?? null }, decided);
    return decided;
  });
  // Thrown after the commit, so that the settled attempt is saved.
  if (decision.kind === "published") throw new AppError("wrong_state", { text: TEXTS.alreadyPublished });
};

interface MoveRequest {
  pinId: string;
  from: readonly PinStatus[];
  refusal: string;
  /** Called with the transaction's time. @throws AppError `invalid` */
  timeOf: (now: Date) => Date;
  /** Set to move only the schedule that was seen, not a newer one. */
  generation?: number;
}

/** Unschedules a locked pin; a run that made no call yet then makes none. Null while a call may be in flight. */
const unscheduleLocked = async (tx: Ctx, pin: Pin): Promise<Decision | null> => {
  const locked = await lockScheduledPin(tx, { pinId: pin.id, scheduleGeneration: pin.scheduleGeneration });
  const decision = locked && decideOnUnscheduling(locked.open, tx.now());
  if (decision) await applyDecision(tx, { pinId: pin.id, attemptId: locked.open?.id ?? null }, decision);
  return decision;
};

/** Unschedules locked pins. @returns the first one that can't become a draft, and why: the caller rolls back */
export const unscheduleAll = async (tx: Ctx, scheduled: readonly Pin[]): Promise<{ pin: Pin; text: string } | null> => {
  const ids = scheduled.map(({ id }) => id);
  const open = await tx.db
    .select({ pinId: publishAttempts.pinId })
    .from(publishAttempts)
    .where(and(isAnyOf(publishAttempts.pinId, ids), ne(publishAttempts.state, "settled")));
  const started = new Set(open.map(({ pinId }) => pinId));
  for (const pin of scheduled.filter(({ id }) => started.has(id))) {
    const decision = await unscheduleLocked(tx, pin);
    if (!decision) return { pin, text: TEXTS.beingPublished };
    if (decision.kind === "published") return { pin, text: TEXTS.alreadyPublished };
  }
  const now = tx.now();
  const clear = decideOnUnscheduling(null, now);
  const rest = ids.filter((id) => !started.has(id));
  if (!clear || rest.length === 0) return null;
  const change = { ...toPinChange(clear, now), updatedAt: now };
  await tx.db.update(pins).set(change).where(isAnyOf(pins.id, rest));
  return null;
};

/** The caller starts the pin. @throws AppError like {@link movePin} */
export const moveInTransaction = async (tx: Ctx, { pinId, from, refusal, timeOf, generation }: MoveRequest) => {
  const scheduledAt = timeOf(tx.now());
  const [pin] = await lockPins(tx, { pinIds: [pinId] });
  const isSeen = generation === undefined || generation === pin?.scheduleGeneration;
  if (!pin || !isSeen || !from.some((status) => status === pin.status)) {
    throw new AppError("wrong_state", { text: refusal });
  }
  if (pin.status === "scheduled") {
    const decision = await unscheduleLocked(tx, pin);
    if (!decision) throw new AppError("wrong_state", { text: TEXTS.beingPublished });
    if (decision.kind === "published") return { kind: "published" } as const;
  }
  const batchId = pin.status === "scheduled" ? pin.batchId : null;
  await startSchedule(tx, { pinId: pin.id, scheduledAt, batchId });
  return { kind: "moved", pinId: pin.id, scheduledAt } as const;
};

/** @throws AppError `not_found`; `wrong_state` when its call may be in flight, or it proved to be published */
export const movePin = async (ctx: Ctx<"jobs">, request: MoveRequest): Promise<Date> => {
  const result = await inTransaction(ctx, (tx) => moveInTransaction(tx, request));
  // Thrown after the commit, so that the settled attempt is saved.
  if (result.kind === "published") throw new AppError("wrong_state", { text: TEXTS.alreadyPublished });
  await startScheduledPins(ctx, [result.pinId]);
  return result.scheduledAt;
};

interface NewSlot {
  pinId: PinId;
  scheduledAt: Date;
  batchId: string | null;
}

/** The new generation makes earlier runs do nothing. The caller holds the lock. */
const startSchedule = async (tx: Ctx, { pinId, scheduledAt, batchId }: NewSlot): Promise<void> => {
  const now = tx.now();
  const [row] = await tx.db
    .update(pins)
    .set({
      status: "scheduled",
      scheduledAt,
      scheduleGeneration: sql`${pins.scheduleGeneration} + 1`,
      batchId,
      chosenAt: now,
      wakeAt: scheduledAt,
      notBefore: null,
      sweeps: 0,
      failedRuns: 0,
      reason: null,
      updatedAt: now,
    })
    .where(and(eq(pins.id, pinId), inArray(pins.status, AT_REST)))
    .returning({ userId: pins.userId });
  if (!row) throw new AppError("internal", { cause: new Error(`Pin ${pinId} was already scheduled or published.`) });
  await removeDigestEntries(tx, { userIds: [row.userId], kind: "pins_failed", about: [pinId] });
};
