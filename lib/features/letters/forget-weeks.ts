import "server-only";
import { and, inArray, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { letters } from "#db/schema/letters.ts";
import type { Ctx } from "#lib/context.ts";

/** Deletes mails about a week that were not sent yet, of users of whom one of these accounts is removed. */
export const forgetWeeks = async (tx: Ctx, { accountIds }: { accountIds: readonly string[] }): Promise<void> => {
  const owners = tx.db
    .select({ userId: pinterestAccounts.userId })
    .from(pinterestAccounts)
    .where(inArray(pinterestAccounts.id, [...accountIds]));
  await tx.db
    .delete(letters)
    .where(and(inArray(letters.userId, owners), sql`${letters.content} ->> 'kind' = 'weekly_results'`));
};
