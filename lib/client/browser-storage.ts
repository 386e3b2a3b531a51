import { REMEMBERED_PATH_KEY, TOKEN_STORAGE_KEY } from "#lib/features/identity/constants.ts";
import { creatorAddress, safePath } from "../core/paths.ts";

/** Where a text is kept: by this browser for good, or for as long as this tab is open. */
type StorageArea = "local" | "session";

const memory = { local: new Map<string, string>(), session: new Map<string, string>() } as const;

const storage = (area: StorageArea): Storage | null => {
  try {
    return area === "local" ? window.localStorage : window.sessionStorage;
  } catch {
    // Switched off in this browser: reading the property itself throws.
    return null;
  }
};

/** A text kept in this browser, or null. Where storage is switched off, what this page itself has kept so far. */
export const readStored = (key: string, area: StorageArea = "local"): string | null => {
  const kept = storage(area);
  return kept ? kept.getItem(key) : (memory[area].get(key) ?? null);
};

/** Keeps a text in this browser; null forgets it. Where storage is switched off, until the page is left. */
export const writeStored = (key: string, value: string | null, area: StorageArea = "local"): void => {
  const kept = storage(area);
  if (value === null) {
    memory[area].delete(key);
    kept?.removeItem(key);
  } else if (kept) {
    kept.setItem(key, value);
  } else {
    memory[area].set(key, value);
  }
};

// The browser tells other tabs of a change, not the one that made it.
const TOKEN_CHANGED = "token-changed";

/** The stored access token (R-CONST-18), or null. */
export const getToken = (): string | null => readStored(TOKEN_STORAGE_KEY);
export const setToken = (token: string): void => {
  writeStored(TOKEN_STORAGE_KEY, token);
  window.dispatchEvent(new Event(TOKEN_CHANGED));
};
export const clearToken = (): void => {
  writeStored(TOKEN_STORAGE_KEY, null);
  window.dispatchEvent(new Event(TOKEN_CHANGED));
};

/** Calls back when the stored token comes or goes, in this tab or another; returns how to stop. */
export const onTokenChange = (listener: () => void): (() => void) => {
  const names = ["storage", TOKEN_CHANGED];
  for (const name of names) window.addEventListener(name, listener);
  return () => {
    for (const name of names) window.removeEventListener(name, listener);
  };
};

/** R-AUTH-01: keeps the path that was asked for until after login. */
export const rememberPath = (path: string): void => writeStored(REMEMBERED_PATH_KEY, safePath(path), "session");

/** The remembered path, once; the address's `next` wins; default `/app` (R-LOGIN-07). */
export const takeRememberedPath = (): string => {
  const next = new URLSearchParams(location.search).get("next");
  const kept = readStored(REMEMBERED_PATH_KEY, "session");
  writeStored(REMEMBERED_PATH_KEY, null, "session");
  return safePath(next ?? kept);
};

/** Where this tab keeps keywords while an account is being connected, which leads out of the product and back. */
export const KEPT_KEYWORDS_KEY = "keptKeywords";

/** Keeps keywords until they are taken to the creator, or given up. */
export const keepKeywords = (keywords: readonly string[]): void =>
  writeStored(KEPT_KEYWORDS_KEY, creatorAddress("", keywords), "session");

/** The kept keywords as the creator's query, an unchanging text; null: there are none. */
export const keptKeywords = (): string | null => readStored(KEPT_KEYWORDS_KEY, "session");

/** Forgets them: they are used, given up, or somebody logged out. */
export const forgetKeywords = (): void => writeStored(KEPT_KEYWORDS_KEY, null, "session");
