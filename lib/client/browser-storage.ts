const memory = new Map<string, string>();

const storage = (): Storage | null => {
  try {
    return window.localStorage;
  } catch {
    // Switched off in this browser: reading the property itself throws.
    return null;
  }
};

/** A text kept in this browser, or null. Where storage is switched off, what this page itself has kept so far. */
export const readStored = (key: string): string | null => {
  const kept = storage();
  return kept ? kept.getItem(key) : (memory.get(key) ?? null);
};

/** Keeps a text in this browser; null forgets it. Where storage is switched off, until the page is left. */
export const writeStored = (key: string, value: string | null): void => {
  const kept = storage();
  if (value === null) {
    memory.delete(key);
    kept?.removeItem(key);
  } else if (kept) {
    kept.setItem(key, value);
  } else {
    memory.set(key, value);
  }
};
