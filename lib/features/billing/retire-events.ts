import "server-only";
import { and, isNotNull, lte } from "drizzle-orm";
import { deleteInBatches } from "#db/delete-batches.ts";
import { paymentEvents } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";

/** Deletes events of the payment provider that were applied long ago; what they told of stays. @returns how many */
export const retireEvents = (ctx: Ctx): Promise<number> =>
  deleteInBatches(ctx.db, {
    table: paymentEvents,
    key: paymentEvents.eventId,
    where: and(
      isNotNull(paymentEvents.appliedAt),
      lte(paymentEvents.receivedAt, addMs(ctx.now(), -RETENTION_MS.paymentEvent)),
    ),
  });
