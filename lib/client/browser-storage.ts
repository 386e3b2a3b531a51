import { TOKEN_STORAGE_KEY } from "#lib/core/browser-keys.ts";

type StorageArea = "local" | "session";

const memory = { local: new Map<string, string>(), session: new Map<string, string>() } as const;

const storage = (area: StorageArea): Storage | null => {
  try {
    return area === "local" ? window.localStorage : window.sessionStorage;
  } catch {
    // When storage is disabled, reading the property itself throws.
    return null;
  }
};

/** Whether stored values survive a reload. */
export const isStorageAvailable = (area: StorageArea): boolean => storage(area) !== null;

/** Returns a stored value or null. When storage is disabled, values live in memory until the page is left. */
export const readStored = (key: string, area: StorageArea = "local"): string | null => {
  const store = storage(area);
  return store ? store.getItem(key) : (memory[area].get(key) ?? null);
};

/** Stores a value; null deletes it. When storage is disabled, values live in memory. */
export const writeStored = (key: string, value: string | null, area: StorageArea = "local"): void => {
  const store = storage(area);
  if (value === null) {
    memory[area].delete(key);
    store?.removeItem(key);
  } else if (store) {
    store.setItem(key, value);
  } else {
    memory[area].set(key, value);
  }
};

// A `storage` event reaches other tabs, but not the one that made the change.
const TOKEN_CHANGED = "token-changed";

export const getToken = (): string | null => readStored(TOKEN_STORAGE_KEY);
export const setToken = (token: string): void => {
  writeStored(TOKEN_STORAGE_KEY, token);
  window.dispatchEvent(new Event(TOKEN_CHANGED));
};
export const clearToken = (): void => {
  writeStored(TOKEN_STORAGE_KEY, null);
  window.dispatchEvent(new Event(TOKEN_CHANGED));
};

/** Subscribes to changes of the stored token in any tab. Returns the unsubscribe function. */
export const onTokenChange = (listener: () => void): (() => void) => {
  const names = ["storage", TOKEN_CHANGED];
  for (const name of names) window.addEventListener(name, listener);
  return () => {
    for (const name of names) window.removeEventListener(name, listener);
  };
};
