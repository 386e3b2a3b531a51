import { z } from "zod";
import { isId, type UserId } from "#lib/core/ids.ts";
import { MINUTE_MS } from "#lib/core/time.ts";

/** Data of the event that has a deleted user's content erased. */
export const erasureRequested = z.object({ userId: z.custom<UserId>((value) => isId("user", value)) });
export type ErasureRequested = z.output<typeof erasureRequested>;

/**
 * From the deletion to the erasing of rows: longer than a call to Pinterest, the drawing of a picture or a request that
 * began before can take, so that nothing is written behind the eraser.
 */
export const SETTLE_MS = 15 * MINUTE_MS;

/** Somebody who erases is given so long before the sweep thinks them dead. */
export const PATIENCE_MS = 5 * MINUTE_MS;
export const SWEEP_BATCH = 100;

/** Rows of one read of an export: it never holds much in memory. */
export const EXPORT_PAGE = 200;

export const TEXTS = {
  deleted: "Your account was deleted.",
  /** What deleting means, for whoever is about to. */
  deleteExplained: [
    "Your login ends everywhere, and your connected Pinterest accounts are disconnected at once.",
    "Scheduled pins do not go out any more. One that is being sent to Pinterest in this very moment may still appear there.",
    "Your pins, pictures, saved videos and details are erased within the hour, and so are messages to support from your present address if it is confirmed. What is on Pinterest already stays there.",
    "Unused credits are lost. The record of credits, and of payments if there are any, stays without your name or address.",
  ],
  /** Said to somebody whose plan is running. */
  planEnds:
    "Your plan ends at once and is not charged again. What is left of the time you paid for is not paid back by itself: if you want a refund, ask for it first.",
} as const;
