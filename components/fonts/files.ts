/** The faces that a first paint may need, by name. Made by scripts/cut-fonts.ts. */
export const FONT_FILES = {
  "newsreader-display": "/fonts/newsreader-display-69158c23.woff2",
  "newsreader-title": "/fonts/newsreader-title-7c6815c4.woff2",
  "newsreader-text": "/fonts/newsreader-text-59b053d2.woff2",
  "newsreader-display-italic": "/fonts/newsreader-display-italic-eb9f8c1d.woff2",
  "newsreader-text-italic": "/fonts/newsreader-text-italic-6819f3fd.woff2",
  "hanken-grotesk": "/fonts/hanken-grotesk-852f98de.woff2",
} as const;
