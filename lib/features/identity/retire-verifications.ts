import "server-only";
import { lte, or } from "drizzle-orm";
import { deleteInBatches } from "#db/delete-batches.ts";
import { emailVerifications } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";

/** Deletes verification links that were used or expired a week ago or earlier (DESIGN §5.6). @returns how many. */
export const retireVerifications = async (ctx: Ctx): Promise<number> => {
  const before = addMs(ctx.now(), -RETENTION_MS.verification);
  const { tokenHash, usedAt, expiresAt } = emailVerifications;
  const where = or(lte(usedAt, before), lte(expiresAt, before));
  return deleteInBatches(ctx.db, { table: emailVerifications, key: tokenHash, where });
};
