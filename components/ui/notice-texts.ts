/** How long a notice stays. */
export const NOTICE_MS = 3_000;

/** Titles of the notice (R-NOTE-01). They are required to be French, and marked as such for screen readers. */
export const NOTICE_TITLES = {
  success: { text: "Succès!", lang: "fr" },
  error: { text: "Erreur!", lang: "fr" },
} as const;

export type NoticeKind = keyof typeof NOTICE_TITLES;
