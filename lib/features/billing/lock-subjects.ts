import "server-only";
import { sql } from "drizzle-orm";
import type { Ctx } from "#lib/context.ts";

/**
 * Whoever stores something about the same transaction or customer does so one after the other, until the transaction
 * ends: two descriptions that arrive together then know of each other. Always in the order given here.
 */
export const lockSubjects = async (
  tx: Ctx,
  { transactionId, customerId }: { transactionId?: string; customerId?: string | null },
): Promise<void> => {
  const keys = [
    ...(transactionId ? [`payment:${transactionId}`] : []),
    ...(customerId ? [`customer:${customerId}`] : []),
  ];
  for (const key of keys) await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`);
};
