import "server-only";
import { and, eq, gt, isNotNull, isNull, lte, or } from "drizzle-orm";
import { linkChecks } from "#db/schema/links.ts";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { addMs } from "#lib/core/time.ts";
import { announceChecks } from "#lib/features/links/announce-checks.ts";
import { hashOfLink, isOldCheck } from "#lib/features/links/queries.ts";
import { requestChecks } from "#lib/features/links/request-checks.ts";
import { RECHECK_AHEAD_MS, RECHECK_BATCH } from "./constants.ts";

/** Links of pins that go out soon and were not looked at for a day, or never. */
const findDue = async (ctx: Ctx, now: Date): Promise<(string | null)[]> => {
  const rows = await ctx.db
    .selectDistinct({ link: pins.link })
    .from(pins)
    .leftJoin(linkChecks, eq(linkChecks.urlHash, hashOfLink))
    .where(
      and(
        eq(pins.status, "scheduled"),
        isNotNull(pins.link),
        gt(pins.scheduledAt, now),
        lte(pins.wakeAt, addMs(now, RECHECK_AHEAD_MS)),
        or(isNull(linkChecks.urlHash), isOldCheck(now)),
      ),
    )
    .limit(RECHECK_BATCH);
  return rows.map(({ link }) => link);
};

/**
 * Has the links of pins that go out in the next hours looked at again. It holds no pin back: a warning shows, and its
 * owner decides. Run twice it finds nothing more to ask for. @returns how many.
 */
export const recheckDue = async (ctx: Ctx<"jobs">): Promise<{ asked: number }> => {
  const links = await findDue(ctx, await databaseTime(ctx));
  await inTransaction(ctx, (tx) => requestChecks(tx, { links }));
  await announceChecks(ctx, { links });
  ctx.log.set({ links_due: links.length });
  return { asked: links.length };
};
