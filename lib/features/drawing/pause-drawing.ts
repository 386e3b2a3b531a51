import "server-only";
import { and, eq, sql } from "drizzle-orm";
import { drawingPauses, drawingPlaces } from "#db/schema/drawing.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import type { Claim } from "./ask-place.ts";
import { PACED_MS, PRESENT_MS } from "./constants.ts";
import { gapMsAfter } from "./policy.ts";
import { fromNow, lockLine, PAUSE_SUBJECT } from "./queries.ts";

/**
 * The provider refused a call for now and named a wait: nobody asks before it is over, and the refused call stands in
 * line again where it stood. A longer pause that holds already stays.
 */
export const pauseDrawing = (ctx: Ctx, { reference, waiter, waitMs }: Claim & { waitMs: number }): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    await lockLine(tx);
    const pause = { resumeAt: fromNow(waitMs), pacedUntil: fromNow(waitMs + PACED_MS), gapMs: gapMsAfter(waitMs) };
    await tx.db
      .insert(drawingPauses)
      .values({ subject: PAUSE_SUBJECT, ...pause })
      .onConflictDoUpdate({
        target: drawingPauses.subject,
        set: {
          resumeAt: sql`greatest(${drawingPauses.resumeAt}, excluded.resume_at)`,
          pacedUntil: sql`greatest(${drawingPauses.pacedUntil}, excluded.paced_until)`,
          gapMs: pause.gapMs,
        },
      });
    await tx.db
      .update(drawingPlaces)
      .set({ leasedUntil: null, isDrawing: false, presentUntil: fromNow(PRESENT_MS) })
      .where(and(eq(drawingPlaces.reference, reference), eq(drawingPlaces.waiter, waiter)));
  });
