import "server-only";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { PostStatus } from "#lib/features/pins/constants.ts";
import { lockPins } from "#lib/features/pins/lock-pins.ts";
import type { Pin } from "#lib/features/pins/queries.ts";
import { type Announced, announcePins } from "./announce-pins.ts";
import { applyRuling } from "./apply-ruling.ts";
import { TEXTS } from "./constants.ts";
import { openSchedule } from "./open-schedule.ts";
import { type Ruling, ruleOnUnscheduling } from "./policy.ts";
import { lockScheduledPin } from "./queries.ts";

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
