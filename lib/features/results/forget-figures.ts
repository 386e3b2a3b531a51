import "server-only";
import { inArray, sql } from "drizzle-orm";
import { pinFigures, resultGathers } from "#db/schema/results.ts";
import type { Ctx } from "#lib/context.ts";
import { forgetWeeks } from "#lib/features/letters/forget-weeks.ts";

/**
 * Deletes what Pinterest told of accounts that are being removed, also in mails that still wait, and ends the fetching of it, in the transaction of
 * whoever removes them and after their rows were changed: a run that stores meanwhile comes before, or stores nothing.
 */
export const forgetFigures = async (tx: Ctx, { accountIds }: { accountIds: readonly string[] }): Promise<void> => {
  if (accountIds.length === 0) return;
  const ids = [...accountIds];
  await forgetWeeks(tx, { accountIds: ids });
  await tx.db.delete(pinFigures).where(inArray(pinFigures.accountId, ids));
  await tx.db
    .update(resultGathers)
    .set({ generation: sql`${resultGathers.generation} + 1`, wakeAt: null, resumesAt: null, problemText: null })
    .where(inArray(resultGathers.accountId, ids));
};
