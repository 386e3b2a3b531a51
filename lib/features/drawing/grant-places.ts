import "server-only";
import { eq, sql } from "drizzle-orm";
import { drawingPauses, drawingPlaces } from "#db/schema/drawing.ts";
import type { Ctx } from "#lib/context.ts";
import { DRAWING_CHANNEL, LEASE_MS } from "./constants.ts";
import { findPause, fromNow, PAUSE_SUBJECT } from "./queries.ts";

/** Gives up to `most` free places to those who wait: to the user with the fewest, then first come first served. */
const grant = async (tx: Ctx, most: number): Promise<string[]> => {
  const rows = await tx.db.execute<{ waiter: string }>(sql`
    with running as (
      select user_id, count(*) as places from ${drawingPlaces}
      where is_drawing and leased_until > clock_timestamp() group by user_id
    ), waiting as (
      select reference, asked_at, coalesce(places, 0)
        + row_number() over (partition by user_id order by asked_at, reference) as turn
      from ${drawingPlaces} left join running using (user_id)
      where leased_until is null and present_until > clock_timestamp()
    ), chosen as (
      select reference from waiting order by turn, asked_at, reference
      limit greatest(0, least(${most}::int, ${tx.settings.imageConcurrency}::int
        - (select coalesce(sum(places), 0) from running)))
    )
    update ${drawingPlaces} set is_drawing = true, leased_until = ${fromNow(LEASE_MS)}
    where reference in (select reference from chosen) returning waiter, pg_notify(${DRAWING_CHANNEL}, waiter)`);
  return rows.map(({ waiter }) => waiter);
};

/**
 * Gives the free places to those whose turn it is; the line must be locked (`lockLine`). After a pause that the
 * provider asked for, one at a time.
 * @returns the calls that have a place now, and how many milliseconds to the next grant (0: when one comes free).
 */
export const grantPlaces = async (tx: Ctx): Promise<{ granted: string[]; pauseMs: number }> => {
  const { waitMs, isPaced, gapMs } = await findPause(tx);
  if (waitMs > 0) return { granted: [], pauseMs: waitMs };
  if (!isPaced) return { granted: await grant(tx, tx.settings.imageConcurrency), pauseMs: 0 };
  const granted = await grant(tx, 1);
  if (granted.length > 0) {
    await tx.db
      .update(drawingPauses)
      .set({ resumeAt: fromNow(gapMs) })
      .where(eq(drawingPauses.subject, PAUSE_SUBJECT));
  }
  return { granted, pauseMs: gapMs };
};
