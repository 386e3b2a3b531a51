import "server-only";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireOwnedPin } from "#lib/features/pins/queries.ts";
import { applyRuling } from "./apply-ruling.ts";
import { TEXTS } from "./constants.ts";
import { lockScheduledPin } from "./queries.ts";
import type { ScheduledPinInput } from "./schema.ts";

/**
 * Makes a scheduled pin a draft again (DESIGN §5.4). Its event, when it comes, finds no schedule and does nothing.
 * @throws AppError `not_found`; `wrong_state` when it is not scheduled, or its call to Pinterest has begun.
 */
export const unschedulePin = async (ctx: Ctx, input: ScheduledPinInput): Promise<void> => {
  const { pin } = await requireOwnedPin(ctx, input.pinId);
  await inTransaction(ctx, async (tx) => {
    const locked = await lockScheduledPin(tx, { pinId: pin.id, scheduleGeneration: pin.scheduleGeneration });
    if (!locked) throw new AppError("wrong_state", { text: TEXTS.notScheduled });
    if (locked.open?.state === "calling") throw new AppError("wrong_state", { text: TEXTS.beingPublished });
    const on = { pinId: pin.id, attemptId: locked.open?.id ?? null };
    await applyRuling(tx, on, { kind: "draft", outcome: "abandoned", reason: null, mayBePublished: false });
  });
};
