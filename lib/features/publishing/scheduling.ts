import "server-only";
import { and, eq, inArray, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { PinId } from "#lib/core/ids.ts";
import { toIso } from "#lib/core/time.ts";
import { dropEntries } from "#lib/features/notifications/digests.ts";
import type { PostStatus } from "#lib/features/pins/constants.ts";
import { lockPins } from "#lib/features/pins/guards.ts";
import { AT_REST } from "#lib/features/pins/policy.ts";
import { type Pin, requireOwnedPin, toPin } from "#lib/features/pins/queries.ts";
import { applyRuling } from "./attempts.ts";
import { TEXTS } from "./constants.ts";
import { planStart } from "./free-times.ts";
import { planSlots, type Ruling, ruleOnUnscheduling } from "./policy.ts";
import { lockScheduledPin } from "./queries.ts";
import { type Announced, announcePins } from "./queue.ts";
import type { RescheduledWire, ReschedulePinInput, ScheduleBatchInput, ScheduledPinInput } from "./schema.ts";

/** A batch that was scheduled: when its last pin is due. */
export interface ScheduledBatch {
  lastPublishAt: Date;
}

const writeSlots = async (tx: Ctx, slots: { id: string; dueAt: Date }[]): Promise<Pin[]> => {
  const now = tx.now();
  const ids = slots.map(({ id }) => id);
  const dueAt = sql.join(
    slots.map((slot) => sql`when ${slot.id} then ${slot.dueAt.toISOString()}::timestamptz`),
    sql` `,
  );
  const rows = await tx.db
    .update(pins)
    .set({
      status: "scheduled",
      scheduledAt: sql`case ${pins.id} ${dueAt} end`,
      scheduleGeneration: sql`${pins.scheduleGeneration} + 1`,
      batchId: tx.newId("batch"),
      chosenAt: now,
      // Until its event is sent: should that never happen, the sweep comes by soon.
      wakeAt: now,
      sweeps: 0,
      breakdowns: 0,
      reason: null,
      updatedAt: now,
    })
    .where(and(inArray(pins.id, ids), eq(pins.status, "draft")))
    .returning();
  return rows.map(toPin);
};

/**
 * Schedules drafts in the order given, all of them or none (R-SCH-06, R-SCH-09, R-SCH-10, A-34, A-35), and records
 * that the user chose each of them (D9).
 * @throws AppError `not_found` when one is not the actor's; `wrong_state` when one is no draft; `invalid`.
 */
export const scheduleBatch = async (ctx: Ctx<"jobs">, input: ScheduleBatchInput): Promise<ScheduledBatch> => {
  const { scheduled, lastPublishAt } = await inTransaction(ctx, async (tx) => {
    const start = planStart(input.start, tx.now());
    const slots = planSlots(input.pinIds, start, input.intervalMinutes);
    const own = await lockPins(tx, { pinIds: input.pinIds });
    if (own.some(({ status }) => status !== "draft")) throw new AppError("wrong_state", { text: TEXTS.notDraft });
    const written = await writeSlots(tx, slots);
    if (written.length < slots.length) throw new AppError("wrong_state", { text: TEXTS.notDraft });
    return { scheduled: written, lastPublishAt: slots.at(-1)?.dueAt ?? start };
  });
  ctx.log.set({ pins_scheduled: scheduled.length });
  await announcePins(
    ctx,
    scheduled.map(({ id, accountId, scheduleGeneration }) => ({ pinId: id, accountId, scheduleGeneration })),
  );
  return { lastPublishAt };
};

/**
 * Gives a scheduled pin another time (DESIGN §5.4).
 * @throws AppError `not_found`; `invalid` for a time that has passed or lies more than a year ahead; `wrong_state` when it
 * is not scheduled, or being published.
 */
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
 * Makes a scheduled pin a draft again (DESIGN §5.4). Its event, when it comes, finds no schedule and does nothing.
 * One whose outcome is not known becomes a marked draft, and is looked for before it ever goes out again (R-SRV-03).
 * @throws AppError `not_found`; `wrong_state` when it is not scheduled, its call may still be on its way to Pinterest,
 * or its receipt says that it was created: then it is published now.
 */
export const unschedulePin = async (ctx: Ctx, input: ScheduledPinInput): Promise<void> => {
  const { pin } = await requireOwnedPin(ctx, input.pinId);
  const ruling = await inTransaction(ctx, async (tx) => {
    const locked = await lockScheduledPin(tx, { pinId: pin.id, scheduleGeneration: pin.scheduleGeneration });
    if (!locked) throw new AppError("wrong_state", { text: TEXTS.notScheduled });
    const decided = ruleOnUnscheduling(locked.open, tx.now());
    if (!decided) throw new AppError("wrong_state", { text: TEXTS.beingPublished });
    await applyRuling(tx, { pinId: pin.id, attemptId: locked.open?.id ?? null }, decided);
    return decided;
  });
  // Thrown after the commit, so that what the receipt says is kept.
  if (ruling.kind === "published") throw new AppError("wrong_state", { text: TEXTS.alreadyPublished });
};

interface Asked {
  pinId: string;
  /** The states it may be in, and what is said of another. */
  from: readonly PostStatus[];
  refusal: string;
  /** By the time of the transaction. @throws AppError `invalid` */
  timeOf: (now: Date) => Date;
}

/**
 * Takes a pin off its schedule as unscheduling does, its row locked. A run that claimed it and has not called yet finds
 * its attempt settled and makes no call; null while a call may be on its way.
 */
const withdraw = async (tx: Ctx, pin: Pin): Promise<Ruling | null> => {
  const locked = await lockScheduledPin(tx, { pinId: pin.id, scheduleGeneration: pin.scheduleGeneration });
  const ruling = locked && ruleOnUnscheduling(locked.open, tx.now());
  if (ruling) await applyRuling(tx, { pinId: pin.id, attemptId: locked.open?.id ?? null }, ruling);
  return ruling;
};

const move = async (tx: Ctx, { pinId, from, refusal, timeOf }: Asked) => {
  const scheduledAt = timeOf(tx.now());
  const [pin] = await lockPins(tx, { pinIds: [pinId] });
  if (!pin || !from.some((status) => status === pin.status)) throw new AppError("wrong_state", { text: refusal });
  if (pin.status === "scheduled") {
    const ruling = await withdraw(tx, pin);
    if (!ruling) throw new AppError("wrong_state", { text: TEXTS.beingPublished });
    if (ruling.kind === "published") return { kind: "published" } as const;
  }
  const announced: Announced = await openSchedule(tx, { pinId: pin.id, scheduledAt });
  return { kind: "moved", announced, scheduledAt } as const;
};

/**
 * Gives a pin another time, under a new schedule. One whose outcome is not known keeps that mark: the first thing its
 * run does is to look at the board (R-SRV-03). @returns when it is due.
 * @throws AppError `not_found`; `wrong_state` when its call may still be on its way to Pinterest, or its receipt says
 * that it was created: then it is published now.
 */
export const movePin = async (ctx: Ctx<"jobs">, asked: Asked): Promise<Date> => {
  const moved = await inTransaction(ctx, (tx) => move(tx, asked));
  // Thrown after the commit, so that what the receipt says is kept.
  if (moved.kind === "published") throw new AppError("wrong_state", { text: TEXTS.alreadyPublished });
  await announcePins(ctx, [moved.announced]);
  return moved.scheduledAt;
};

/** A pin that rests, and when it is to go out. */
interface Opened {
  pinId: PinId;
  scheduledAt: Date;
}

/**
 * Schedules one pin that is at rest, under a new number: whatever an earlier schedule left under way finds another one
 * and does nothing (R-SRV-03). Records that the user chose it (D9). That it had failed is told to nobody any more. The
 * caller holds its lock, and announces it.
 */
const openSchedule = async (tx: Ctx, { pinId, scheduledAt }: Opened): Promise<Announced> => {
  const now = tx.now();
  const [row] = await tx.db
    .update(pins)
    .set({
      status: "scheduled",
      scheduledAt,
      scheduleGeneration: sql`${pins.scheduleGeneration} + 1`,
      batchId: null,
      chosenAt: now,
      // Until its event is sent: should that never happen, the sweep comes by soon.
      wakeAt: now,
      sweeps: 0,
      breakdowns: 0,
      reason: null,
      updatedAt: now,
    })
    .where(and(eq(pins.id, pinId), inArray(pins.status, AT_REST)))
    .returning();
  if (!row) throw new AppError("internal", { cause: new Error(`Pin ${pinId} was not at rest.`) });
  // Rows of this table hold the ids of users.
  await dropEntries(tx, { userIds: [row.userId], kind: "pins_failed", about: [pinId] });
  const { id, accountId, scheduleGeneration } = toPin(row);
  return { pinId: id, accountId, scheduleGeneration };
};
