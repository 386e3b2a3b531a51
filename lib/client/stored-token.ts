import { TOKEN_STORAGE_KEY } from "#lib/features/identity/constants.ts";
import { readStored, writeStored } from "./browser-storage.ts";

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
