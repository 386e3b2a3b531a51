import "server-only";
import { eq, sql } from "drizzle-orm";
import { drawingPauses } from "#db/schema/drawing.ts";
import type { Ctx } from "#lib/context.ts";

/** A moment so far from now, by the database's clock: the only one that several processes share. */
export const fromNow = (ms: number) => sql<Date>`clock_timestamp() + make_interval(secs => ${ms / 1_000})`;

/** Whose turn it is is decided by one at a time; waits until the transaction may. */
export const lockLine = async (tx: Ctx): Promise<void> => {
  await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended('drawing_places', 0))`);
};

export interface Pause {
  /** Milliseconds until places are given again; 0 when they are. */
  waitMs: number;
  isPaced: boolean;
  gapMs: number;
}

/** The pause that the provider asked for, as it stands now. */
export const findPause = async (ctx: Ctx): Promise<Pause> => {
  const [row] = await ctx.db
    .select({
      waitMs: sql<number>`ceil(extract(epoch from ${drawingPauses.resumeAt} - clock_timestamp()) * 1000)::int`,
      isPaced: sql<boolean>`${drawingPauses.pacedUntil} > clock_timestamp()`,
      gapMs: drawingPauses.gapMs,
    })
    .from(drawingPauses)
    .where(eq(drawingPauses.subject, PAUSE_SUBJECT));
  return row ? { ...row, waitMs: Math.max(0, row.waitMs) } : { waitMs: 0, isPaced: false, gapMs: 0 };
};

export const PAUSE_SUBJECT = "images";
