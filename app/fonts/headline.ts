import localFont from "next/font/local";

/** The italic again, preloaded: for the landing page alone, whose headline is set in it. */
export const headlineItalic = localFont({
  src: "../../node_modules/@fontsource-variable/newsreader/files/newsreader-latin-opsz-italic.woff2",
  variable: "--font-newsreader-italic",
  weight: "200 800",
  style: "italic",
  adjustFontFallback: "Times New Roman",
});
