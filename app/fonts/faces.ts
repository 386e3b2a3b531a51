import localFont from "next/font/local";

/*
 * Latin is preloaded, with a stand-in of the same metrics so that nothing moves when it arrives. The extended part
 * of a face loads only when a letter asks for it, and stands first in the font list: its range is limited.
 */

export const newsreader = localFont({
  src: "../../node_modules/@fontsource-variable/newsreader/files/newsreader-latin-opsz-normal.woff2",
  variable: "--font-newsreader",
  weight: "200 800",
  adjustFontFallback: "Times New Roman",
});

export const newsreaderExtended = localFont({
  src: "../../node_modules/@fontsource-variable/newsreader/files/newsreader-latin-ext-opsz-normal.woff2",
  variable: "--font-newsreader-ext",
  weight: "200 800",
  preload: false,
  adjustFontFallback: false,
  declarations: [{ prop: "unicode-range", value: "U+0100-02BA, U+1E00-1E9F, U+1EF2-1EFF, U+20A0-20C0" }],
});

export const newsreaderItalic = localFont({
  src: "../../node_modules/@fontsource-variable/newsreader/files/newsreader-latin-opsz-italic.woff2",
  variable: "--font-newsreader-italic",
  weight: "200 800",
  style: "italic",
  preload: false,
  adjustFontFallback: "Times New Roman",
});

export const hanken = localFont({
  src: "../../node_modules/@fontsource-variable/hanken-grotesk/files/hanken-grotesk-latin-wght-normal.woff2",
  variable: "--font-hanken",
  weight: "100 900",
  adjustFontFallback: "Arial",
});

export const hankenExtended = localFont({
  src: "../../node_modules/@fontsource-variable/hanken-grotesk/files/hanken-grotesk-latin-ext-wght-normal.woff2",
  variable: "--font-hanken-ext",
  weight: "100 900",
  preload: false,
  adjustFontFallback: false,
  declarations: [{ prop: "unicode-range", value: "U+0100-02BA, U+1E00-1E9F, U+1EF2-1EFF, U+20A0-20C0" }],
});

/** The classes that put every face's variable on the document's root. */
export const fontVariables = [newsreader, newsreaderExtended, newsreaderItalic, hanken, hankenExtended]
  .map((face) => face.variable)
  .join(" ");
