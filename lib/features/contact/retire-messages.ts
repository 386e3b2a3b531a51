import "server-only";
import { lte } from "drizzle-orm";
import { deleteInBatches } from "#db/delete-batches.ts";
import { contactMessages } from "#db/schema/contact.ts";
import type { Ctx } from "#lib/context.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";

/** Deletes messages to support a year after they came (DESIGN §5.6). @returns how many. */
export const retireMessages = (ctx: Ctx): Promise<number> =>
  deleteInBatches(ctx.db, {
    table: contactMessages,
    key: contactMessages.id,
    where: lte(contactMessages.createdAt, addMs(ctx.now(), -RETENTION_MS.contactMessage)),
  });
