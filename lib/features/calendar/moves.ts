import "server-only";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { lockPins } from "#lib/features/pins/guards.ts";
import type { Pin } from "#lib/features/pins/queries.ts";
import { startScheduledPins } from "#lib/features/publishing/due-pins.ts";
import { planStart } from "#lib/features/publishing/free-times.ts";
import { scheduleLocked, unscheduleAll } from "#lib/features/publishing/scheduling.ts";
import { TEXTS } from "./constants.ts";
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

/**
 * Gives pins other times: schedules drafts, moves scheduled pins, and turns them into drafts. All or none, also when one
 * was changed meanwhile or its call may be in flight. Swapping `from` and `to` undoes it: as an undo, drafts also return
 * to the schedule that they were taken from.
 * @throws AppError `not_found`; `invalid` for a past or too late time; `wrong_state`
 */
export const movePins = async (ctx: Ctx<"jobs">, { moves, isUndo }: MovePinsInput): Promise<MovedWire> => {
  const scheduled = await inTransaction(ctx, async (tx) => {
    const now = tx.now();
    const locked = await lockPins(tx, { pinIds: moves.map(({ pinId }) => pinId) });
    const slots = [];
    for (const [index, move] of moves.entries()) {
      const pin = locked[index];
      if (!pin || !isAsSeen(pin, move)) throw refuse(pin, TEXTS.movedMeanwhile);
      const batchId = pin.status === "scheduled" || isUndo ? pin.batchId : null;
      if (move.to !== null) slots.push({ id: pin.id, dueAt: startOf(pin, move.to, { now, index }), batchId });
    }
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
