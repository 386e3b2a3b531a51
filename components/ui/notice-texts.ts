/** How long a notice stays (R-TIME-02). */
export const NOTICE_MS = 3_000;

/**
 * The two titles of the notice (R-NOTE-01, A-09). They are French by demand and marked so for screen readers;
 * an operator may set others per language.
 */
export const NOTICE_TITLES = {
  success: { text: "Succès!", lang: "fr" },
  error: { text: "Erreur!", lang: "fr" },
} as const;

export type NoticeKind = keyof typeof NOTICE_TITLES;
