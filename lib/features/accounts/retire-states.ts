import "server-only";
import { lte } from "drizzle-orm";
import { deleteInBatches } from "#db/delete-batches.ts";
import { oauthStates } from "#db/schema/accounts.ts";
import type { Ctx } from "#lib/context.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";

/** Deletes the states of consents that expired a day ago or earlier (DESIGN §5.6). @returns how many. */
export const retireStates = async (ctx: Ctx): Promise<number> => {
  const before = addMs(ctx.now(), -RETENTION_MS.consent);
  const { stateHash, expiresAt } = oauthStates;
  return deleteInBatches(ctx.db, { table: oauthStates, key: stateHash, where: lte(expiresAt, before) });
};
