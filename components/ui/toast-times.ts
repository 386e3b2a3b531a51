import { SECOND_MS } from "#lib/core/time.ts";

/** How long a toast stays, unless the pointer is on it. */
export const TOAST_MS = 4 * SECOND_MS;

/** How long a toast with an Undo button stays. */
export const UNDO_MS = 8 * SECOND_MS;
