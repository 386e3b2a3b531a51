import "server-only";
import { lte, or } from "drizzle-orm";
import { deleteInBatches } from "#db/delete-batches.ts";
import { emailChanges } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";

/** Deletes changes of a mail address that ended or expired a week ago or earlier (DESIGN §5.6). @returns how many. */
export const retireEmailChanges = (ctx: Ctx): Promise<number> => {
  const before = addMs(ctx.now(), -RETENTION_MS.emailChange);
  const { id, endedAt, expiresAt } = emailChanges;
  const where = or(lte(endedAt, before), lte(expiresAt, before));
  return deleteInBatches(ctx.db, { table: emailChanges, key: id, where });
};
