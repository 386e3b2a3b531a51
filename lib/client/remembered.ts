import { REMEMBERED_PATH_KEY } from "#lib/core/browser-keys.ts";
import { creatorAddress, safePath } from "../core/paths.ts";
import { readStored, writeStored } from "./browser-storage.ts";

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
