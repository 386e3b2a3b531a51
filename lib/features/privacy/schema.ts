import { z } from "zod";
import { isId, type UserId } from "#lib/core/ids.ts";
import { MINUTE_MS } from "#lib/core/time.ts";

export const erasureRequested = z.object({ userId: z.custom<UserId>((value) => isId("user", value)) });
export type ErasureRequested = z.output<typeof erasureRequested>;

/** Longer than any request, Pinterest call or image generation already in flight. */
export const SETTLE_MS = 15 * MINUTE_MS;

/** For erasures without progress. */
export const SWEEP_AFTER_MS = 5 * MINUTE_MS;
export const SWEEP_BATCH = 100;

export const EXPORT_PAGE = 200;

export const TEXTS = {
  deleted: "Your account has been deleted.",
  deleteExplained: [
    "You'll be signed out everywhere, and your Pinterest accounts will be disconnected right away.",
    "Scheduled pins won't be published. A pin that's being published right now may still appear on Pinterest.",
    "Your pins, images, keyword lists, saved videos, and personal details will be erased within an hour. So will your messages to support, if your email is confirmed. Pins that are already on Pinterest stay there.",
    "You'll lose any unused credits. We keep credit and payment records without your name or email.",
  ],
  planEnds:
    "Your plan ends right away and you won't be charged again. The remaining time isn't refunded automatically, so request a refund first if you want one.",
} as const;
