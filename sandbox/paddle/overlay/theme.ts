import { readStyle } from "../../kit/look/page.ts";

export type Theme = "light" | "dark";

const DARK = "@media (prefers-color-scheme: dark) {";

/** A checkout is light unless its page asks otherwise, whatever the system prefers. */
export function readTheme(text: string | undefined): Theme {
  return text === "dark" ? "dark" : "light";
}

/** The tokens of one theme alone, to stand behind the shared sheet, which follows the system. */
export function themeSheet(theme: Theme): string {
  const tokens = readStyle(new URL("../../kit/look/tokens.css", import.meta.url));
  const at = tokens.indexOf(DARK);
  if (at < 0) throw new Error("The tokens have no dark part");
  return theme === "light" ? tokens.slice(0, at) : tokens.slice(at + DARK.length, tokens.lastIndexOf("}"));
}
