import "server-only";
import { and, isNull, lte, or, sql } from "drizzle-orm";
import { deleteInBatches } from "#db/delete-batches.ts";
import { linkChecks } from "#db/schema/links.ts";
import type { Ctx } from "#lib/context.ts";
import { RETENTION_MS } from "#lib/core/retention.ts";
import { addMs } from "#lib/core/time.ts";
import { isPinOf } from "./queries.ts";

/** One look into the index of pins' links for each row. */
const isStray = sql`not exists (select from pins where ${isPinOf(linkChecks.url)})`;

/**
 * Forgets what was found behind links that nobody asked about or looked at for a month; those that no pin leads to any more, for
 * instance because its user has left, after a day (R-SRV-03). @returns how many.
 */
export const retireChecks = (ctx: Ctx): Promise<number> => {
  const untouched = (ms: number) => {
    const before = addMs(ctx.now(), -ms);
    const isCheckOld = or(isNull(linkChecks.checkedAt), lte(linkChecks.checkedAt, before));
    // A verdict that still counts may be the only one of a pin that is being written now.
    return and(lte(linkChecks.requestedAt, before), isCheckOld);
  };
  return deleteInBatches(ctx.db, {
    table: linkChecks,
    key: linkChecks.urlHash,
    where: or(untouched(RETENTION_MS.linkCheck), and(untouched(RETENTION_MS.strayLinkCheck), isStray)),
  });
};
