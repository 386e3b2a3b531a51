import { FREE_ALLOWANCE } from "#lib/features/billing/plans.ts";

export const COST_CREDITS = { high: 2, standard: 1 } as const;

export type PinQuality = keyof typeof COST_CREDITS;

export const LOW_CREDITS = 10;

/** In total, for users who have not confirmed their email: the first month's free credits. */
export const FREE_WITHOUT_CONFIRMATION = FREE_ALLOWANCE;

/** A larger grant is treated as a typo. */
export const GRANT_MAX_CREDITS = 1_000_000;

export const HISTORY_PAGE_MAX = 200;
export const HISTORY_PAGE = 50;

export const HISTORY_CALL = "/api/users/credits/history/";

export const HISTORY_TEXTS = {
  title: "Credit activity",
  loadFailed: "We couldn't load your credit activity. Please try again.",
  olderFailed: "We couldn't load older entries. Please try again.",
  empty: "No credit activity yet",
  begins: "That's all your credit activity.",
  foreignCursor: "This cursor isn't valid.",
} as const;

export const TEXTS = {
  low: "Low",
  available: "Available",
  runningLow: "Your credits are running low. Buy more to continue generating pins.",
  buyMore: "Buy More Credits",
  allowanceTaken:
    "Another user already got this month's free credits for your Pinterest account. To keep generating, buy credits or upgrade.",
  confirmToUse: "Confirm your email to use the rest of your free credits.",
} as const;
