import "server-only";
import { eq } from "drizzle-orm";
import { weeklyMails } from "#db/schema/results.ts";
import { type Ctx, databaseTime, inTransaction } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { LetterId } from "#lib/core/ids.ts";
import { findUser } from "#lib/features/identity/queries.ts";
import { announceLetters } from "#lib/features/letters/announce-letters.ts";
import { offerUnsubscribe } from "#lib/features/letters/offer-unsubscribe.ts";
import { postLetter } from "#lib/features/letters/post-letter.ts";
import { WEEKLY_HOURS } from "./constants.ts";
import { findDueZones } from "./find-due-zones.ts";
import { findReaders, type WeeklyReader } from "./find-readers.ts";
import { findUnfinished } from "./find-unfinished.ts";
import { readWeek } from "./read-week.ts";

/**
 * One user's mail and the mark that their week is told, together or not at all. Null: it was told, or is no news. No
 * mark while figures are still awaited that could be some.
 */
const tellUser = async (tx: Ctx, { userId, accountIds }: WeeklyReader, week: string): Promise<LetterId | null> => {
  // One row, one winner: whoever comes second waits for the first, and finds the week told.
  const [mark] = await tx.db
    .insert(weeklyMails)
    .values({ userId })
    .onConflictDoUpdate({ target: weeklyMails.userId, set: { userId } })
    .returning({ toldWeek: weeklyMails.toldWeek });
  if (mark?.toldWeek && mark.toldWeek >= week) return null;
  const user = await findUser(tx, userId);
  const told = user && !user.mutedMails.includes("weekly_results") ? await readWeek(tx, userId) : null;
  if (!told && (await findUnfinished(tx, { accountIds, withRefused: true }))) return null;
  await tx.db.update(weeklyMails).set({ toldWeek: week }).where(eq(weeklyMails.userId, userId));
  if (!user || !told) return null;
  const unsubscribe = offerUnsubscribe(userId, ["weekly_results"]);
  const letter = { kind: "weekly_results" as const, firstName: user.firstName, week: told, unsubscribe };
  return postLetter(tx, { userId, recipient: user.email, letter });
};

/** Of one user whose mail cannot be made the log tells; it is tried again with the next run, and holds up no other. */
const tryToTell = async (ctx: Ctx, reader: WeeklyReader, week: string): Promise<LetterId | null> => {
  try {
    return await inTransaction(ctx, (tx) => tellUser(tx, reader, week));
  } catch (error) {
    ctx.log.set({ weekly_problem: messageOf(error) });
    return null;
  }
};

/**
 * Tells users by mail what their pins did in a week, on Monday from eight o'clock on by their own clock, once
 * for each week whatever runs twice or dies. While figures are being fetched, or are asked for again, they wait until
 * noon; who has none by then is told when there are some. Tuesday is another such day for those who were not told, as
 * after a Monday on which nothing ran. Who has no news, or switched these mails off, gets none. @returns how many mails.
 */
export const tellWeeks = async (ctx: Ctx<"jobs">): Promise<{ posted: number }> => {
  const now = await databaseTime(ctx);
  const due = await findDueZones(ctx, now, { from: WEEKLY_HOURS.tell, end: WEEKLY_HOURS.end });
  const late = due && (await findDueZones(ctx, now, { from: WEEKLY_HOURS.tellUnfinished, end: WEEKLY_HOURS.end }));
  const letterIds: LetterId[] = [];
  for (const part of [late && { ...late, waits: false }, due && { ...due, waits: true }]) {
    if (!part) continue;
    for await (const reader of findReaders(ctx, part, { done: weeklyMails.toldWeek })) {
      const { accountIds } = reader;
      if (part.waits && (await findUnfinished(ctx, { accountIds, withRefused: false }))) continue;
      const letterId = await tryToTell(ctx, reader, part.week);
      if (letterId) letterIds.push(letterId);
    }
  }
  if (letterIds.length > 0) await announceLetters(ctx, letterIds);
  ctx.log.set({ weekly_posted: letterIds.length });
  return { posted: letterIds.length };
};
