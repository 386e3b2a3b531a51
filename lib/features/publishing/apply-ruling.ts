import "server-only";
import { eq } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import type { Ctx } from "#lib/context.ts";
import { unreachable } from "#lib/core/errors.ts";
import type { AttemptId, PinId, UserId } from "#lib/core/ids.ts";
import { msUntil } from "#lib/core/time.ts";
import { addEntry } from "#lib/features/digests/add-entry.ts";
import { TEXTS } from "./constants.ts";
import type { Move, Ruling } from "./policy.ts";

type PinChange = Partial<typeof pins.$inferInsert>;

const toPinChange = (ruling: Ruling, now: Date): PinChange => {
  switch (ruling.kind) {
    case "published":
      return {
        status: "published",
        pinterestPinId: ruling.pinterestPinId,
        publishedAt: ruling.publishedAt,
        reason: null,
        mayBePublished: false,
        wakeAt: null,
      };
    case "failed":
      return { status: "failed", reason: ruling.reason, mayBePublished: ruling.mayBePublished, wakeAt: null };
    case "draft":
      return {
        status: "draft",
        reason: ruling.reason,
        scheduledAt: null,
        wakeAt: null,
        // A mark of an earlier schedule stays: the next one looks before it sends.
        ...(ruling.mayBePublished && { mayBePublished: true }),
      };
    case "again":
      return {
        reason: ruling.reason,
        wakeAt: ruling.at,
        ...(ruling.outcome === "absent" && { mayBePublished: false }),
      };
    case "held":
      // Past at once, so that the sweep starts it as soon as the account is connected again.
      return { reason: ruling.reason, wakeAt: now };
    default:
      return unreachable(ruling);
  }
};

const toMove = (ruling: Ruling, now: Date): Move =>
  ruling.kind === "again" ? { kind: "wait", afterMs: msUntil(ruling.at, now) } : { kind: "done", result: ruling.kind };

/**
 * Settles the open attempt, if there is one, and moves the pin; the owner of one that failed is told by mail. The caller holds the pin's lock and has checked that
 * the pin is scheduled and the attempt open.
 */
export const applyRuling = async (
  tx: Ctx,
  on: { pinId: PinId; attemptId: AttemptId | null },
  ruling: Ruling,
): Promise<Move> => {
  const now = tx.now();
  if (on.attemptId) {
    await tx.db
      .update(publishAttempts)
      .set({
        state: "settled",
        outcome: ruling.outcome,
        settledAt: now,
        ...(ruling.kind === "published" && { pinterestPinId: ruling.pinterestPinId }),
      })
      .where(eq(publishAttempts.id, on.attemptId));
  }
  const [pin] = await tx.db
    .update(pins)
    .set({ ...toPinChange(ruling, now), updatedAt: now })
    .where(eq(pins.id, on.pinId))
    .returning({ userId: pins.userId, title: pins.title, scheduleGeneration: pins.scheduleGeneration });
  if (pin && ruling.kind === "failed") {
    await addEntry(tx, {
      // Rows of this table hold the ids of users.
      userId: pin.userId as UserId,
      kind: "pins_failed",
      about: on.pinId,
      occasion: pin.scheduleGeneration,
      subject: pin.title || TEXTS.untitled,
      reason: ruling.reason,
    });
  }
  tx.log.set({ ruling: ruling.kind, outcome: ruling.outcome });
  return toMove(ruling, now);
};
