import "server-only";
import { sql } from "drizzle-orm";
import { weeklyMails } from "#db/schema/results.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { beginGather } from "./begin-gather.ts";
import { WEEKLY_HOURS } from "./constants.ts";
import { findDueZones } from "./find-due-zones.ts";
import { findReaders } from "./find-readers.ts";
import { isAskable } from "./queries.ts";

/**
 * Until the mail waits for figures no longer, those are asked for again that a bad quarter of an hour left out. What
 * Pinterest refused is left to people: each further run would cost up to a dozen calls and end the same.
 */
const askAgain = async (ctx: Ctx<"jobs">, now: Date): Promise<number> => {
  const due = await findDueZones(ctx, now, { from: WEEKLY_HOURS.ask, end: WEEKLY_HOURS.tellUnfinished });
  let begun = 0;
  if (!due) return begun;
  for await (const { accountIds } of findReaders(ctx, due, { done: weeklyMails.toldWeek, only: isAskable(ctx) })) {
    for (const accountId of accountIds) {
      const { isAsked } = await beginGather(ctx, accountId);
      if (isAsked) begun += 1;
    }
  }
  return begun;
};

/**
 * Has figures fetched for those who are told of their week, early on Monday by their own clock, so that they are here at
 * eight (A-83), and on Tuesday for those who were not told; what could not be fetched, and was not refused, is asked for
 * again with each run. The mark is set last: whoever dies before it asks again, which begins no second run. @returns how
 * many users' accounts were asked for, and how many accounts again.
 */
export const askWeeks = async (ctx: Ctx<"jobs">): Promise<{ asked: number; again: number }> => {
  const now = await databaseTime(ctx);
  const due = await findDueZones(ctx, now, { from: WEEKLY_HOURS.ask, end: WEEKLY_HOURS.end });
  let asked = 0;
  if (!due) return { asked, again: 0 };
  for await (const { userId, accountIds } of findReaders(ctx, due, { done: weeklyMails.askedWeek })) {
    for (const accountId of accountIds) await beginGather(ctx, accountId);
    await ctx.db
      .insert(weeklyMails)
      .values({ userId, askedWeek: due.week })
      .onConflictDoUpdate({ target: weeklyMails.userId, set: { askedWeek: sql`excluded.asked_week` } });
    asked += 1;
  }
  const again = await askAgain(ctx, now);
  ctx.log.set({ weekly_asked: asked, weekly_again: again });
  return { asked, again };
};
