import { TOKEN_STORAGE_KEY } from "#lib/core/browser-keys.ts";

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
