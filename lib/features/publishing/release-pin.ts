import "server-only";
import { eq } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { addMs, MINUTE_MS } from "#lib/core/time.ts";
import { applyRuling } from "./apply-ruling.ts";
import { BREAKDOWNS_MAX, TEXTS } from "./constants.ts";
import { isUnclear } from "./policy.ts";
import { lockScheduledPin } from "./queries.ts";
import type { ScheduledPin } from "./schema.ts";

/**
 * Lets go of a pin whose run broke down for good (the database or the storage did not answer). The sweep starts
 * another run after a growing pause; when that has happened too often, the pin fails with a reason.
 */
export const releasePin = (ctx: Ctx, scheduled: ScheduledPin): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    const locked = await lockScheduledPin(tx, scheduled);
    if (!locked) return;
    const { pin, open } = locked;
    if (pin.breakdowns < BREAKDOWNS_MAX) {
      const wakeAt = addMs(tx.now(), MINUTE_MS * 2 ** pin.breakdowns);
      await tx.db
        .update(pins)
        .set({ wakeAt, breakdowns: pin.breakdowns + 1, reason: TEXTS.ourFaultAgain })
        .where(eq(pins.id, pin.id));
      return;
    }
    const on = { pinId: pin.id, attemptId: open?.id ?? null };
    const mayBePublished = pin.mayBePublished || (open !== null && isUnclear(open));
    await applyRuling(tx, on, {
      kind: "failed",
      outcome: mayBePublished ? "unclear" : "abandoned",
      reason: mayBePublished ? TEXTS.unclear : TEXTS.ourFault,
      mayBePublished,
    });
  });
