import "server-only";
import { and, desc, eq, gt } from "drizzle-orm";
import { generationTasks } from "#db/schema/generation.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { addMs } from "#lib/core/time.ts";
import { lockPins } from "#lib/features/pins/lock-pins.ts";
import { replacePicture } from "#lib/features/pins/replace-picture.ts";
import { showing } from "#lib/features/pins/schema.ts";
import { REMAKE_UNDO_MS, TEXTS } from "./constants.ts";
import { mayBeRemade } from "./policy.ts";
import type { RemakeInput } from "./schema.ts";

/**
 * Gives a pin the picture back that it had before the one that was made for it and that it shows now; the credits are
 * spent. The old picture is there as long as this is offered: a lost one is kept for longer.
 * @throws AppError `not_found`; `wrong_state` when it shows another one, was scheduled, or too much time has passed.
 */
export const undoRemake = (ctx: Ctx, { pinId }: RemakeInput): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    const [pin] = await lockPins(tx, { pinIds: [pinId] });
    if (!pin) throw new AppError("not_found");
    const [task] = await tx.db
      .select({ replaced: generationTasks.replaced })
      .from(generationTasks)
      .where(
        and(
          eq(generationTasks.replacesPinId, pin.id),
          eq(generationTasks.imageKey, pin.imageKey),
          eq(generationTasks.status, "SUCCESS"),
          gt(generationTasks.finishedAt, addMs(tx.now(), -REMAKE_UNDO_MS)),
        ),
      )
      .orderBy(desc(generationTasks.finishedAt))
      .limit(1);
    if (!task || !mayBeRemade(pin)) throw new AppError("wrong_state", { text: TEXTS.nothingToUndo });
    await replacePicture(tx, { pin, next: showing.parse(task.replaced) });
  });
