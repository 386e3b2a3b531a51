import { isStorageAvailable, readStored, writeStored } from "./browser-storage.ts";
import { saveTypedText } from "./typed-text.ts";

const RELOADED_KEY = "reloadedForUpdate";
/** While some servers still run the previous version, a reloaded page can be outdated again. */
const ONCE_MS = 60_000;

/** Fired at the window before the page reloads itself; canceling it keeps the page. */
export const RELOAD_EVENT = "siteupdate";

/** Whether the server does not know a server action, because it runs another version than this page. */
export const isUnknownAction = (error: unknown): boolean =>
  error instanceof Error && error.name === "UnrecognizedActionError";

/** Reloads the page, keeping what was typed, at most once a minute. @returns whether it reloads */
export const reloadForUpdate = (): boolean => {
  const lastMs = Number(readStored(RELOADED_KEY, "session"));
  if (!isStorageAvailable("session") || Date.now() - lastMs < ONCE_MS) return false;
  writeStored(RELOADED_KEY, String(Date.now()), "session");
  saveTypedText();
  if (window.dispatchEvent(new Event(RELOAD_EVENT, { cancelable: true }))) location.reload();
  return true;
};
