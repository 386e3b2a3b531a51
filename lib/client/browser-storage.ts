/** Where a text is kept: by this browser for good, or for as long as this tab is open. */
export type StorageArea = "local" | "session";

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
