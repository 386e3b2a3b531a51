import { REMEMBERED_PATH_KEY } from "#lib/core/browser-keys.ts";
import { keywordQuery, safePath } from "../core/paths.ts";
import { readStored, writeStored } from "./browser-storage.ts";

export const rememberPath = (path: string): void => writeStored(REMEMBERED_PATH_KEY, safePath(path), "session");

/** Returns and deletes the remembered path. The URL's `next` wins; the default is `/app`. */
export const takeRememberedPath = (): string => {
  const next = new URLSearchParams(location.search).get("next");
  const saved = readStored(REMEMBERED_PATH_KEY, "session");
  writeStored(REMEMBERED_PATH_KEY, null, "session");
  return safePath(next ?? saved);
};

/** Session storage key of keywords that wait while the user connects an account on Pinterest. */
export const SAVED_KEYWORDS_KEY = "keptKeywords";

export const saveKeywords = (keywords: readonly string[]): void =>
  writeStored(SAVED_KEYWORDS_KEY, String(keywordQuery(keywords)), "session");

export const readSavedKeywords = (): string | null => readStored(SAVED_KEYWORDS_KEY, "session");

export const deleteSavedKeywords = (): void => writeStored(SAVED_KEYWORDS_KEY, null, "session");
