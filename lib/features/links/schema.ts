import { z } from "zod";
import { HOST_MAX, type LinkState } from "./constants.ts";

export interface LinkCheck {
  state: LinkState;
  /** Where the link leads in the end, or where the check ended; null when that is the link itself. */
  finalUrl: string | null;
  httpStatus: number | null;
}

export interface KnownLink extends LinkCheck {
  /** A first or repeated check is running; until it ends the other fields hold the previous result. */
  isBeingChecked: boolean;
}

/** Data of the event that starts a check. `requestedAt` identifies the request, in ms; `host` is its paced site. */
export const checkRequested = z.object({
  urlHash: z.string().regex(/^[0-9a-f]{64}$/),
  host: z.string().max(HOST_MAX),
  requestedAt: z.number().int(),
});
export type CheckRequested = z.output<typeof checkRequested>;

/** What one step of a check leaves to the next. */
export interface CheckProgress {
  /** Finished tries of a page that did not respond. */
  tries: number;
  /** The reserved time of the next request, on the database's clock. */
  reservedMs: number | null;
}

export const NEW_CHECK_PROGRESS: CheckProgress = { tries: 0, reservedMs: null };
