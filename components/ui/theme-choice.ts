import { YEAR_SECONDS } from "#lib/core/time.ts";

/** `system` follows the device; the others set a class on the root element. */
type ThemeChoice = "system" | "light" | "dark";

/** Read before the first paint by components/site/first-paint.ts. */
export const THEME_COOKIE = "theme";

const THEME_CHANGED = "themechange";

/** Returns the theme that the document shows. */
export function currentTheme(): ThemeChoice {
  const { classList } = document.documentElement;
  return classList.contains("dark") ? "dark" : classList.contains("light") ? "light" : "system";
}

/** Applies the saved theme to a document that came without the first-paint script. */
export function applySavedTheme(): void {
  const saved = new RegExp(`(?:^|; )${THEME_COOKIE}=(light|dark)(?:;|$)`).exec(document.cookie)?.[1];
  if (saved) document.documentElement.classList.add(saved);
}

/** Applies a theme and saves it for the next visit. */
export function setTheme(choice: ThemeChoice): void {
  const root = document.documentElement;
  root.classList.toggle("light", choice === "light");
  root.classList.toggle("dark", choice === "dark");
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser we support
  document.cookie = `${THEME_COOKIE}=${choice}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
  window.dispatchEvent(new Event(THEME_CHANGED));
}

/** Subscribes to theme changes. Returns the unsubscribe function. */
export function onThemeChange(listener: () => void): () => void {
  window.addEventListener(THEME_CHANGED, listener);
  return () => window.removeEventListener(THEME_CHANGED, listener);
}
