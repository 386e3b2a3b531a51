import type { BrandColors, FontPairing, TemplateName } from "#lib/core/images.ts";

export const IMAGE_TEXT_MAX = 100;
export const SIGNATURE_MAX = 40;
/** So that a request finishes in time. Screens send several requests. */
export const PINS_PER_REQUEST_MAX = 12;
export const LOGO_BYTES_MAX = 5_000_000;
export const LOGO_PART = "logo";

export const VOICE_ABOUT_MAX = 600;
export const VOICE_WORDS_MAX = 20;
export const VOICE_WORD_MAX = 40;

export const IMAGE_ABOUT_MAX = 300;
export const OWN_STYLES_MAX = 5;
export const OWN_STYLE_NAME_MAX = 40;

/** Styles of generated images, by their names. What each means to a model is in `lib/integrations/ai/prompts.ts`. */
export const IMAGE_STYLES = {
  daylight: "Daylight photo",
  flat_lay: "Flat lay",
  studio: "Clean studio",
  moody: "Dark and moody",
  watercolor: "Watercolor",
  flat: "Flat illustration",
} as const;
export type ImageStyle = keyof typeof IMAGE_STYLES;

/** ISO 639-1 codes of the languages that copy can be written in, by their names. */
export const VOICE_LANGUAGES = {
  en: "English",
  de: "German",
  es: "Spanish",
  fr: "French",
  it: "Italian",
  pt: "Portuguese",
  nl: "Dutch",
  pl: "Polish",
  sv: "Swedish",
  da: "Danish",
  no: "Norwegian",
  fi: "Finnish",
  cs: "Czech",
  ro: "Romanian",
  hu: "Hungarian",
  el: "Greek",
  tr: "Turkish",
  uk: "Ukrainian",
  ja: "Japanese",
  ko: "Korean",
} as const;
export type VoiceLanguage = keyof typeof VOICE_LANGUAGES;

/** In pixels. */
export const PREVIEW_WIDTHS = { small: 240, large: 560 } as const;

export const TEXTS = {
  saved: "Brand kit saved",
  logoSaved: "Logo saved",
  logoRemoved: "Logo removed",
  logoMissing: "Choose an image for your logo.",
  logoTooLarge: "Logos can be up to 5 MB.",
  logoHint: "PNG, JPG, or WebP, up to 5 MB. A transparent background looks best.",
  colorInvalid: "Enter a hex color code, like #1c543a.",
  fontsInvalid: "Choose one of the font pairings.",
  templateInvalid: "Choose one of the templates.",
  textTooLong: `The text can have at most ${IMAGE_TEXT_MAX} characters.`,
  signatureTooLong: `The signature can have at most ${SIGNATURE_MAX} characters.`,
  noPins: "Select at least one pin.",
  tooManyPins: `You can change at most ${PINS_PER_REQUEST_MAX} pins at once.`,
  pinTwice: "The same pin is listed twice.",
  imagesOnly: "Templates don't work on videos and carousels.",
  notChangeable: "You can only change drafts and failed pins.",
  changedMeanwhile: "One of these pins has changed since you opened it. Check it and try again.",
  voiceSaved: "Brand voice saved",
  voiceTooLong: `Describe the voice in at most ${VOICE_ABOUT_MAX} characters.`,
  voiceTooManyWords: `List at most ${VOICE_WORDS_MAX} words or phrases.`,
  voiceWordTooLong: `Words and phrases can have at most ${VOICE_WORD_MAX} characters.`,
  voiceWordTwice: (word: string) => `“${word}” can't be both a word to use and a word to avoid.`,
  imageStyle: "Choose one of the image styles.",
  tooManyStyles: `You can have up to ${OWN_STYLES_MAX} styles of your own.`,
  styleName: "Give each of your styles a name.",
  styleNameTooLong: `Names of styles can have at most ${OWN_STYLE_NAME_MAX} characters.`,
  styleTwice: "Give each of your styles a different name.",
  styleAbout: "Describe each of your styles.",
  imageAboutTooLong: `Describe your images in at most ${IMAGE_ABOUT_MAX} characters.`,
  voiceLanguage: "Choose one of the languages.",
  nothingToWrite: "There's no text to put on the image. Enter some.",
  writeOther: { words: "Enter different text.", signature: "Enter a different signature." },
} as const;

export const TEMPLATES: Record<TemplateName, { label: string; about: string }> = {
  label: { label: "Label", about: "A paper label in the middle" },
  band: { label: "Band", about: "A band across the image" },
  slip: { label: "Caption", about: "Text on paper at the bottom" },
  veil: { label: "Fade", about: "Large text on a fading image" },
  frame: { label: "Frame", about: "Text inside a double border" },
  arch: { label: "Arch", about: "The image through an arch" },
  disc: { label: "Sticker", about: "A round sticker in the accent color" },
  strips: { label: "Strips", about: "Each line on its own strip" },
};

export const PAIRINGS: Record<FontPairing, { label: string; about: string }> = {
  reading: { label: "Reading room", about: "Newsreader with small caps" },
  italic: { label: "Handwritten note", about: "Newsreader italic with Hanken Grotesk" },
  broadsheet: { label: "Broadsheet", about: "Heavy Newsreader with an italic line" },
  poster: { label: "Poster", about: "Heavy Hanken Grotesk" },
  capitals: { label: "All caps", about: "Hanken Grotesk in all caps with an italic line" },
  quiet: { label: "Quiet", about: "Light Hanken Grotesk with an italic line" },
};

/** The first palette is the default. */
export const PALETTES: readonly { label: string; colors: BrandColors }[] = [
  { label: "Evergreen", colors: { panel: "#faf7f1", words: "#19251e", accent: "#1c543a" } },
  { label: "Terracotta", colors: { panel: "#f8e9e1", words: "#5a241c", accent: "#b44334" } },
  { label: "Harbor", colors: { panel: "#edf5fc", words: "#1a2838", accent: "#26517b" } },
  { label: "Honey", colors: { panel: "#fff3d6", words: "#4a2f12", accent: "#9e611c" } },
  { label: "Plum", colors: { panel: "#f6eef4", words: "#3a1f38", accent: "#7a3b74" } },
  { label: "Ink", colors: { panel: "#19251e", words: "#faf7f1", accent: "#e0c849" } },
];

export const DEFAULT_PAIRING: FontPairing = "reading";
