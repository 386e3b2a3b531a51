import { REMEMBERED_PATH_KEY } from "#lib/features/identity/constants.ts";
import { safePath } from "../core/paths.ts";
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
