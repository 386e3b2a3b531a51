/** `system` follows the device; the others force a class on the document's root. */
export type ThemeChoice = "system" | "light" | "dark";

export const THEME_COOKIE = "theme";

const CHOICES: readonly string[] = ["system", "light", "dark"];

/** Whether a text from a cookie is a choice we know. */
export function isThemeChoice(value: string | undefined): value is ThemeChoice {
  return value !== undefined && CHOICES.includes(value);
}
