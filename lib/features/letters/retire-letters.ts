import "server-only";
import { lte } from "drizzle-orm";
import { deleteInBatches } from "#db/delete-batches.ts";
import { letters } from "#db/schema/letters.ts";
import type { Ctx } from "#lib/context.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";

/** Deletes mails that no mail server has taken for a week (DESIGN §5.6). @returns how many. */
export const retireLetters = (ctx: Ctx): Promise<number> =>
  deleteInBatches(ctx.db, {
    table: letters,
    key: letters.id,
    where: lte(letters.createdAt, addMs(ctx.now(), -RETENTION_MS.letter)),
  });
