import "server-only";
import { deleteInBatches } from "#db/delete-batches.ts";
import { pinFigures } from "#db/schema/results.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { retireWeeks } from "#lib/features/letters/retire-weeks.ts";
import { isRetired } from "./tell-retired.ts";

/**
 * Deletes figures that are older than this installation keeps them (D8), and those of removed accounts, where deleting
 * them with the account was cut short. Mails that tell figures and could not be sent go with the same hours. That Pinterest no longer has a pin is kept longer: it is no figure of theirs.
 */
export const retireFigures = async (ctx: Ctx): Promise<number> => {
  const now = await databaseTime(ctx);
  await retireWeeks(ctx, now);
  let deleted = 0;
  for (const where of isRetired(ctx, now)) {
    deleted += await deleteInBatches(ctx.db, { table: pinFigures, key: pinFigures.pinId, where });
  }
  return deleted;
};
