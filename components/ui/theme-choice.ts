/** `system` follows the device; the others force a class on the document's root. */
export type ThemeChoice = "system" | "light" | "dark";

/** Read before the first paint by components/site/first-paint.ts. */
export const THEME_COOKIE = "theme";

const YEAR_SECONDS = 365 * 24 * 60 * 60;
const THEME_CHANGED = "themechange";

/** The theme that the document wears. */
export function wornTheme(): ThemeChoice {
  const { classList } = document.documentElement;
  return classList.contains("dark") ? "dark" : classList.contains("light") ? "light" : "system";
}

/** Puts the kept theme on a document that came without the script that does so before the first paint. */
export function wearKeptTheme(): void {
  const kept = new RegExp(`(?:^|; )${THEME_COOKIE}=(light|dark)(?:;|$)`).exec(document.cookie)?.[1];
  if (kept) document.documentElement.classList.add(kept);
}

/** Puts a theme on the document and keeps it for the next visit. */
export function chooseTheme(choice: ThemeChoice): void {
  const root = document.documentElement;
  root.classList.toggle("light", choice === "light");
  root.classList.toggle("dark", choice === "dark");
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser we support
  document.cookie = `${THEME_COOKIE}=${choice}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
  window.dispatchEvent(new Event(THEME_CHANGED));
}

/** Calls back when the theme was changed by any switch on the page; returns how to stop. */
export function onThemeChange(listener: () => void): () => void {
  window.addEventListener(THEME_CHANGED, listener);
  return () => window.removeEventListener(THEME_CHANGED, listener);
}
