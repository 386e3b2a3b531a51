import "server-only";
import { and, eq, isNotNull } from "drizzle-orm";
import { linkChecks } from "#db/schema/links.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { CheckRequested, LinkCheck } from "./schema.ts";
import { tellOwners } from "./tell-owners.ts";

/**
 * Writes down what was found, for this request alone: a second run, or a run of an earlier request, changes nothing.
 * A trigger tells the streams of everybody whose pins lead there; of a page that stopped answering a mail tells.
 */
export const recordCheck = (ctx: Ctx, { found, ...request }: CheckRequested & { found: LinkCheck }) =>
  inTransaction(ctx, async (tx) => {
    const isThis = and(
      eq(linkChecks.urlHash, request.urlHash),
      eq(linkChecks.requestedAt, new Date(request.requestedAt)),
      isNotNull(linkChecks.wakeAt),
    );
    const [row] = await tx.db
      .select({ url: linkChecks.url, before: linkChecks.state })
      .from(linkChecks)
      .where(isThis)
      .for("update");
    if (!row) return;
    await tx.db
      .update(linkChecks)
      .set({ ...found, checkedAt: tx.now(), wakeAt: null, sweeps: 0 })
      .where(isThis);
    await tellOwners(tx, { ...request, ...row, found });
  });
