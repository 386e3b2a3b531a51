/** The ways to write on a picture, in the order in which they are offered. */
export const TEMPLATE_NAMES = ["label", "band", "slip", "veil", "frame", "arch", "disc", "strips"] as const;
export type TemplateName = (typeof TEMPLATE_NAMES)[number];

/** The pairs of faces that words are written in: the words' own, and that of the small line below. */
export const FONT_PAIRINGS = ["reading", "italic", "broadsheet", "poster", "capitals", "quiet"] as const;
export type FontPairing = (typeof FONT_PAIRINGS)[number];

/** Colours as `#rrggbb`: what words stand on, the words, and what sets something off. */
export interface BrandColours {
  panel: string;
  words: string;
  accent: string;
}
