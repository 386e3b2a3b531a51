import type { BrandColours, FontPairing, TemplateName } from "#lib/core/images.ts";

/** The longest words and the longest small line, in characters. */
export const WORDS_MAX = 100;
export const SIGNATURE_MAX = 40;
/** Pins that one call changes: what a request has time for. Screens make several. */
export const PINS_AT_ONCE = 12;
/** The largest file that may be sent as a logo. */
export const LOGO_BYTES_MAX = 5_000_000;
/** Name of its part in the multipart body. */
export const LOGO_PART = "logo";

/** Widths of previews in pixels: in the row of templates, and of the chosen one. */
export const PREVIEW_WIDTHS = { small: 240, large: 560 } as const;

export const TEXTS = {
  saved: "The brand kit is kept",
  logoKept: "The logo is kept",
  logoRemoved: "The logo was removed",
  logoNeeded: "Choose an image for the logo.",
  logoTooLarge: "A logo may have at most 5 MB.",
  logoHint: "PNG with a clear ground, JPG or WebP up to 5 MB",
  colourInvalid: "A colour is written as # and six digits from 0 to f.",
  fontsInvalid: "Choose one of the font pairings.",
  templateInvalid: "Choose one of the templates.",
  wordsTooLong: `The words may have at most ${WORDS_MAX} characters.`,
  signatureTooLong: `The small line may have at most ${SIGNATURE_MAX} characters.`,
  noPins: "Choose at least one pin.",
  tooManyPins: `At most ${PINS_AT_ONCE} pins can be changed in one call.`,
  pinTwice: "The same pin is listed twice.",
  notChangeable: "Only drafts and failed pins can be changed.",
  changedMeanwhile: "One of these pins was changed meanwhile. Look at it and try again.",
  nothingToWrite: "There are no letters to write on the picture.",
  writeOther: { words: "Write other words.", signature: "Write another small line." },
  previewFailed: "The preview could not be drawn.",
} as const;

/** Each template in a word or two, and what it does. */
export const TEMPLATES: Record<TemplateName, { label: string; about: string }> = {
  label: { label: "Label", about: "A paper label on the middle" },
  band: { label: "Band", about: "A band across the picture" },
  slip: { label: "Slip", about: "Words on paper at the foot" },
  veil: { label: "Veil", about: "Large words, the picture fades" },
  frame: { label: "Frame", about: "A double line, words within" },
  arch: { label: "Arch", about: "The picture through an arch" },
  disc: { label: "Sticker", about: "A round sticker in the accent" },
  strips: { label: "Strips", about: "Each line on its own strip" },
};

export const PAIRINGS: Record<FontPairing, { label: string; about: string }> = {
  reading: { label: "Reading room", about: "Newsreader with small capitals" },
  italic: { label: "Handwritten note", about: "Newsreader italic with Hanken Grotesk" },
  broadsheet: { label: "Broadsheet", about: "Heavy Newsreader with an italic line" },
  poster: { label: "Poster", about: "Heavy Hanken Grotesk" },
  capitals: { label: "Capitals", about: "Hanken Grotesk in capitals with an italic line" },
  quiet: { label: "Quiet", about: "Light Hanken Grotesk with an italic line" },
};

/** Colours to begin with: the first is what an account has that chose none. */
export const PALETTES: readonly { label: string; colours: BrandColours }[] = [
  { label: "Evergreen", colours: { panel: "#faf7f1", words: "#19251e", accent: "#1c543a" } },
  { label: "Terracotta", colours: { panel: "#f8e9e1", words: "#5a241c", accent: "#b44334" } },
  { label: "Harbour", colours: { panel: "#edf5fc", words: "#1a2838", accent: "#26517b" } },
  { label: "Honey", colours: { panel: "#fff3d6", words: "#4a2f12", accent: "#9e611c" } },
  { label: "Plum", colours: { panel: "#f6eef4", words: "#3a1f38", accent: "#7a3b74" } },
  { label: "Ink", colours: { panel: "#19251e", words: "#faf7f1", accent: "#e0c849" } },
];

export const DEFAULT_PAIRING: FontPairing = "reading";
