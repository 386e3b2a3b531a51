import { creatorAddress } from "../core/creator-address.ts";
import { readStored, writeStored } from "./browser-storage.ts";

/** Where this tab keeps keywords while an account is being connected, which leads out of the product and back. */
export const KEPT_KEYWORDS_KEY = "keptKeywords";

/** Keeps keywords until they are taken to the creator, or given up. */
export const keepKeywords = (keywords: readonly string[]): void =>
  writeStored(KEPT_KEYWORDS_KEY, creatorAddress("", keywords), "session");

/** The kept keywords as the creator's query, an unchanging text; null: there are none. */
export const keptKeywords = (): string | null => readStored(KEPT_KEYWORDS_KEY, "session");

/** Forgets them: they are used, given up, or somebody logged out. */
export const forgetKeywords = (): void => writeStored(KEPT_KEYWORDS_KEY, null, "session");
