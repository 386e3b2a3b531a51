/** Credits that one pin costs (R-AIC-10, R-CONST-01). */
export const COST_CREDITS = { high: 2, standard: 1 } as const;

/** Qualities a pin can be made in; the key of its price. */
export type PinQuality = keyof typeof COST_CREDITS;

/** Below this many available credits the panel is amber (R-CRED-02, R-CONST-02). */
export const LOW_CREDITS = 10;

/** More than this in one grant is taken for a slip of the finger. */
export const GRANT_MAX_CREDITS = 1_000_000;

/** Entries of the history that one call answers at most, and that the screen shows at a time. */
export const HISTORY_PAGE_MAX = 200;
export const HISTORY_PAGE = 50;

/** How the history is asked for. */
export const HISTORY_CALL = "/api/users/credits/history/";

/** Texts of the history. */
export const HISTORY_TEXTS = {
  title: "Credits history",
  loadFailed: "Your credits history could not be read. Please try again.",
  olderFailed: "Older entries could not be read. Please try again.",
  empty: "Nothing has happened yet",
  begins: "This is where your history begins.",
  foreignCursor: "The cursor is not one of ours.",
} as const;

/** Literal texts of the credits panel (R-CRED-02, R-CRED-03, R-AIC-12). */
export const TEXTS = {
  low: "Low",
  available: "Available",
  runningLow: "Your credits are running low. Buy more to continue generating pins.",
  buyMore: "Buy More Credits",
} as const;
