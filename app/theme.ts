import { cookies } from "next/headers";
import { isThemeChoice, THEME_COOKIE, type ThemeChoice } from "#components/ui/theme-choice.ts";

/** The visitor's choice of theme, so that the first paint is already right. */
export async function chosenTheme(): Promise<ThemeChoice> {
  const value = (await cookies()).get(THEME_COOKIE)?.value;
  return isThemeChoice(value) ? value : "system";
}
