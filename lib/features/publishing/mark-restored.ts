import "server-only";
import { and, asc, eq, gt, inArray, isNull, ne, or, sql } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import type { Ctx } from "#lib/context.ts";
import { RESTORED_GENERATIONS, TEXTS, WAKE_GRACE_MS } from "./constants.ts";

const BATCH = 500;

/** What is open may have been called, or answered and tried again, after the copy was made. */
const settleOpenAttempts = (ctx: Ctx) =>
  ctx.db
    .update(publishAttempts)
    .set({ state: "settled", outcome: "unclear", settledAt: ctx.now(), note: TEXTS.restored })
    .where(and(ne(publishAttempts.state, "settled"), isNull(publishAttempts.pinterestPinId)));

/**
 * Gives each pin without an unclear attempt one that begins at the moment of the copy: a search of the board goes back
 * to it, and so finds what was published after.
 */
const addAttempts = async (ctx: Ctx, pinIds: readonly string[], takenAt: Date): Promise<void> => {
  const attempts = await ctx.db
    .select({
      pinId: publishAttempts.pinId,
      last: sql<number>`max(${publishAttempts.number})`.mapWith(Number),
      isUnclear: sql<boolean>`bool_or(${publishAttempts.outcome} = 'unclear')`,
    })
    .from(publishAttempts)
    .where(inArray(publishAttempts.pinId, [...pinIds]))
    .groupBy(publishAttempts.pinId);
  const known = new Map(attempts.map((row) => [row.pinId, row]));
  const wanted = pinIds.filter((pinId) => !known.get(pinId)?.isUnclear);
  if (wanted.length === 0) return;
  await ctx.db.insert(publishAttempts).values(
    wanted.map((pinId) => ({
      id: ctx.newId("attempt"),
      pinId,
      scheduleGeneration: 0,
      number: (known.get(pinId)?.last ?? 0) + 1,
      state: "settled" as const,
      outcome: "unclear" as const,
      armedAt: takenAt,
      settledAt: ctx.now(),
      note: TEXTS.restored,
    })),
  );
};

/** Failed, or deleted when it was: its owner may have brought it back and tried it again since. */
const hasFailed = or(eq(pins.status, "failed"), eq(pins.deletedFrom, "failed"));

const findPinIds = async (ctx: Ctx, afterId: string): Promise<string[]> => {
  const rows = await ctx.db
    .select({ id: pins.id })
    .from(pins)
    .where(and(or(eq(pins.status, "scheduled"), hasFailed), gt(pins.id, afterId)))
    .orderBy(asc(pins.id))
    .limit(BATCH);
  return rows.map(({ id }) => id);
};

/**
 * Makes a restored copy safe to run (R-SRV-03). It does not know what was published after the copy was made, so each
 * pin that was scheduled or failed then may be on its board: the board is searched back to that moment before anything
 * is sent. The schedules get numbers, and so events, that the lost database never used. Belongs into the transaction
 * that fills the database. @returns how many scheduled pins are looked for.
 */
export const markRestored = async (ctx: Ctx, input: { takenAt: Date }): Promise<{ scheduled: number }> => {
  await settleOpenAttempts(ctx);
  let afterId = "";
  for (;;) {
    const ids = await findPinIds(ctx, afterId);
    const last = ids.at(-1);
    if (last === undefined) break;
    await addAttempts(ctx, ids, input.takenAt);
    afterId = last;
  }
  await ctx.db.update(pins).set({ mayBePublished: true }).where(hasFailed);
  const now = ctx.now().toISOString();
  const marked = await ctx.db
    .update(pins)
    .set({
      mayBePublished: true,
      reason: TEXTS.restored,
      scheduleGeneration: sql`${pins.scheduleGeneration} + ${RESTORED_GENERATIONS}`,
      sweeps: 0,
      breakdowns: 0,
      // Past, so that the sweep starts it; the first due are first.
      wakeAt: sql`least(${pins.scheduledAt}, ${now}::timestamptz) - make_interval(secs => ${WAKE_GRACE_MS / 1_000 + 1})`,
      updatedAt: ctx.now(),
    })
    .where(eq(pins.status, "scheduled"));
  return { scheduled: marked.count };
};
