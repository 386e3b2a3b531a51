"use client";

import { preload } from "react-dom";
import { FONT_FILES } from "./files.ts";

/**
 * Preloads the fonts of the first paint, only while the document is rendered. A hint in a server component would also be
 * part of prefetched pages, and every prefetched link would load its fonts.
 */
export function PreloadFonts({ names }: { names: readonly (keyof typeof FONT_FILES)[] }) {
  if (typeof window === "undefined") {
    for (const name of names) preload(FONT_FILES[name], { as: "font", type: "font/woff2", crossOrigin: "anonymous" });
  }
  return null;
}
