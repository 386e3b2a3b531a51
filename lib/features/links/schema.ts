import { z } from "zod";
import { HOST_MAX, type LinkState } from "./constants.ts";

/** What was found behind an address. */
export interface LinkCheck {
  state: LinkState;
  /** Where it leads in the end, or where looking ended, when that is elsewhere. */
  finalUrl: string | null;
  /** Status of the last answer; null when there was none. */
  httpStatus: number | null;
}

/** What is known of an address now. */
export interface KnownLink extends LinkCheck {
  /** Somebody is looking, for the first time or again; until then the rest is what was found before. */
  isBeingChecked: boolean;
}

/** Data of the event that has an address checked. `requestedAt`: which request this is, in ms; `host`: the site that paces the checks. */
export const checkRequested = z.object({
  urlHash: z.string().regex(/^[0-9a-f]{64}$/),
  host: z.string().max(HOST_MAX),
  requestedAt: z.number().int(),
});
export type CheckRequested = z.output<typeof checkRequested>;
