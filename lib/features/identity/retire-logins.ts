import "server-only";
import { lte, or } from "drizzle-orm";
import { deleteInBatches } from "#db/delete-batches.ts";
import { logins } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";

/** Deletes logins that ended 30 days ago or earlier (DESIGN §5.6). @returns how many. */
export const retireLogins = async (ctx: Ctx): Promise<number> => {
  const before = addMs(ctx.now(), -RETENTION_MS.login);
  const where = or(lte(logins.revokedAt, before), lte(logins.expiresAt, before));
  return deleteInBatches(ctx.db, { table: logins, key: logins.id, where });
};
