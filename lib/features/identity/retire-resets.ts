import "server-only";
import { lte, or } from "drizzle-orm";
import { deleteInBatches } from "#db/delete-batches.ts";
import { passwordResets } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";

/** Deletes links for a new password that were used or expired a week ago or earlier (DESIGN §5.6). @returns how many. */
export const retireResets = (ctx: Ctx): Promise<number> => {
  const before = addMs(ctx.now(), -RETENTION_MS.passwordReset);
  const { tokenHash, usedAt, expiresAt } = passwordResets;
  const where = or(lte(usedAt, before), lte(expiresAt, before));
  return deleteInBatches(ctx.db, { table: passwordResets, key: tokenHash, where });
};
