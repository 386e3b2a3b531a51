import { SECOND_MS } from "#lib/core/time.ts";

/** How long a toast stays, unless it is pointed at. */
export const TOAST_MS = 4 * SECOND_MS;

/** The same for one that can undo something. */
export const UNDO_MS = 8 * SECOND_MS;
