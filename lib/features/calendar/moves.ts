import "server-only";
import { and, between, eq, notInArray, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { lockPins } from "#lib/features/pins/guards.ts";
import type { Pin } from "#lib/features/pins/queries.ts";
import { startScheduledPins } from "#lib/features/publishing/due-pins.ts";
import { planStart } from "#lib/features/publishing/free-times.ts";
import { scheduleLocked, unscheduleAll } from "#lib/features/publishing/scheduling.ts";
import { SLOT_TAKEN_MINUTES, TEXTS } from "./constants.ts";
import { isTaken } from "./policy.ts";
import type { MovedWire, MovePinsInput, PinMove } from "./schema.ts";

/** Times in URLs and responses have milliseconds, as the database does. */
const isAsSeen = (pin: Pin, { from }: PinMove): boolean =>
  from === null ? pin.status === "draft" : pin.status === "scheduled" && pin.scheduledAt?.getTime() === from.getTime();

const refuse = (pin: Pin | undefined, text: string): AppError =>
  new AppError("wrong_state", { text: pin ? `${text} (“${pin.title}”)` : text });

/** @throws AppError as `planStart`, naming the pin and the field of the call */
const startOf = (pin: Pin, to: Date, { now, index }: { now: Date; index: number }): Date => {
  try {
    return planStart(to, now);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const text = `${error.message} (“${pin.title}”)`;
    throw new AppError(error.code, { text, fields: { [`moves.${index}.to`]: [text] }, cause: error });
  }
};

const TAKEN_MS = SLOT_TAKEN_MINUTES * MINUTE_MS;

/** @throws AppError `wrong_state` when another scheduled pin of the account takes one of the slots */
const requireFreeSlots = async (tx: Ctx, moved: readonly { pin: Pin; slot: Date }[]): Promise<void> => {
  const byAccount = Map.groupBy(moved, ({ pin }) => pin.accountId);
  for (const accountId of [...byAccount.keys()].toSorted()) {
    // Of two fills at the same time, the later one waits here and then sees the earlier one's pins.
    await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`slots:${accountId}`}, 0))`);
    const own = byAccount.get(accountId) ?? [];
    const slots = own.map(({ slot }) => slot.getTime());
    const [from, to] = [new Date(Math.min(...slots) - TAKEN_MS), new Date(Math.max(...slots) + TAKEN_MS)];
    const isOther = notInArray(
      pins.id,
      own.map(({ pin }) => pin.id),
    );
    const others = await tx.db
      .select({ at: pins.scheduledAt })
      .from(pins)
      .where(
        and(eq(pins.accountId, accountId), eq(pins.status, "scheduled"), isOther, between(pins.scheduledAt, from, to)),
      )
      .orderBy(pins.scheduledAt);
    const taken = others.flatMap(({ at }) => at?.getTime() ?? []);
    const blocked = own.find(({ slot }) => isTaken(slot.getTime(), taken));
    if (blocked) throw refuse(blocked.pin, TEXTS.slotTaken);
  }
};

/**
 * Gives pins other times: schedules drafts, moves scheduled pins, and turns them into drafts. All or none, also when one
 * was changed meanwhile or its call may be in flight. Swapping `from` and `to` undoes it: as an undo, drafts also return
 * to the schedule that they were taken from. `requiresFreeSlots`: refused where another pin took a slot meanwhile.
 * @throws AppError `not_found`; `invalid` for a past or too late time; `wrong_state`
 */
export const movePins = async (
  ctx: Ctx<"jobs">,
  { moves, isUndo, requiresFreeSlots }: MovePinsInput,
): Promise<MovedWire> => {
  const scheduled = await inTransaction(ctx, async (tx) => {
    const now = tx.now();
    const locked = await lockPins(tx, { pinIds: moves.map(({ pinId }) => pinId) });
    const moved: { pin: Pin; slot: Date; at: Date }[] = [];
    for (const [index, move] of moves.entries()) {
      const pin = locked[index];
      if (!pin || !isAsSeen(pin, move)) throw refuse(pin, TEXTS.movedMeanwhile);
      if (move.to !== null) moved.push({ pin, slot: move.to, at: startOf(pin, move.to, { now, index }) });
    }
    if (requiresFreeSlots) await requireFreeSlots(tx, moved);
    const slots = moved.map(({ pin, at: dueAt }) => {
      return { id: pin.id, dueAt, batchId: pin.status === "scheduled" || isUndo ? pin.batchId : null };
    });
    const refused = await unscheduleAll(
      tx,
      locked.filter(({ status }) => status === "scheduled"),
    );
    if (refused) throw refuse(refused.pin, refused.text);
    return slots.length > 0 ? (await scheduleLocked(tx, slots)).pinIds : [];
  });
  ctx.log.set({ pins_scheduled: scheduled.length });
  await startScheduledPins(ctx, scheduled);
  return { moved: moves.length };
};
