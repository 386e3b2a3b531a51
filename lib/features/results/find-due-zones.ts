import "server-only";
import { and, eq, isNull } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { users } from "#db/schema/identity.ts";
import type { Ctx } from "#lib/context.ts";
import { tellingDayIn } from "./policy.ts";
import { zoneOf } from "./queries.ts";

/** Zones in which it is Monday or Tuesday now, at some hours from `from` on and before `end`, and the week's Monday. */
export interface DueZones {
  week: string;
  zones: string[];
}

/**
 * Where it is time for something at the beginning of a week; null where it is nowhere, and where no figures are kept at
 * all. No two weeks begin at once: clocks differ by little more than a day.
 */
export const findDueZones = async (
  ctx: Ctx,
  now: Date,
  { from, end }: { from: number; end: number },
): Promise<DueZones | null> => {
  if (ctx.settings.analyticsCacheHours === 0) return null;
  const rows = await ctx.db
    .selectDistinct({ zone: zoneOf })
    .from(users)
    .innerJoin(pinterestAccounts, eq(pinterestAccounts.userId, users.id))
    .where(and(isNull(users.closedAt), eq(pinterestAccounts.status, "connected")));
  const due = rows.flatMap(({ zone }) => {
    const day = tellingDayIn(zone, now);
    return day && day.hour >= from && day.hour < end ? [{ zone, week: day.week }] : [];
  });
  const [first] = due;
  return first ? { week: first.week, zones: due.map(({ zone }) => zone) } : null;
};
