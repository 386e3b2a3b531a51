import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { TEXTS as PIN_TEXTS } from "#lib/features/pins/constants.ts";
import { lockPins } from "#lib/features/pins/lock-pins.ts";
import { isAtRest } from "#lib/features/pins/policy.ts";
import type { Pin } from "#lib/features/pins/queries.ts";
import { TEXTS } from "./constants.ts";

/**
 * Locks pins of the actor whose pictures may change: at rest, and not perhaps on Pinterest already, where they must stay
 * recognisable. Belongs into a transaction. `seen`: as they were when the work on them began.
 * @throws AppError `not_found`; `wrong_state`, also when a picture is another one than the one seen.
 */
export const lockTemplated = async (
  tx: Ctx,
  { pinIds, seen }: { pinIds: readonly string[]; seen?: readonly Pin[] },
): Promise<Pin[]> => {
  const locked = await lockPins(tx, { pinIds });
  if (!locked.every(isAtRest)) throw new AppError("wrong_state", { text: TEXTS.notChangeable });
  if (locked.some(({ mayBePublished }) => mayBePublished)) {
    throw new AppError("wrong_state", { text: PIN_TEXTS.mayBePublished });
  }
  const isSame = locked.every((pin, index) => {
    const before = seen?.[index];
    return !before || (before.imageKey === pin.imageKey && before.baseImageKey === pin.baseImageKey);
  });
  if (!isSame) throw new AppError("wrong_state", { text: TEXTS.changedMeanwhile });
  return locked;
};
