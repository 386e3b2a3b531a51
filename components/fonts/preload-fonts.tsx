"use client";

import { preload } from "react-dom";
import { FONT_FILES } from "./files.ts";

/**
 * Has the document fetch faces at once that its first paint shows; any other arrives when a letter asks for it. Only
 * while the document is written: a hint given by a server component would travel with the page's content as well, and a
 * link that is merely fetched ahead would fetch its faces.
 */
export function PreloadFonts({ names }: { names: readonly (keyof typeof FONT_FILES)[] }) {
  if (typeof window === "undefined") {
    for (const name of names) preload(FONT_FILES[name], { as: "font", type: "font/woff2", crossOrigin: "anonymous" });
  }
  return null;
}
