import "server-only";
import { lte } from "drizzle-orm";
import { deleteInBatches } from "#db/delete-batches.ts";
import { generationGroups } from "#db/schema/generation.ts";
import type { Ctx } from "#lib/context.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";

/** A group has up to 100 tasks, which go with it. */
const BATCH = 100;

/**
 * Deletes groups that finished 90 days ago or earlier, with their tasks (DESIGN §5.6). Pins and the ledger keep what
 * counts: the drafts that were made, and what each task cost. @returns how many groups.
 */
export const retireGroups = (ctx: Ctx): Promise<number> =>
  deleteInBatches(ctx.db, {
    table: generationGroups,
    key: generationGroups.id,
    where: lte(generationGroups.finishedAt, addMs(ctx.now(), -RETENTION_MS.finishedGroup)),
    batch: BATCH,
  });
