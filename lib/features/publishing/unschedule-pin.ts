import "server-only";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { requireOwnedPin } from "#lib/features/pins/queries.ts";
import { applyRuling } from "./apply-ruling.ts";
import { TEXTS } from "./constants.ts";
import { ruleOnUnscheduling } from "./policy.ts";
import { lockScheduledPin } from "./queries.ts";
import type { ScheduledPinInput } from "./schema.ts";

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
