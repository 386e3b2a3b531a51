import { SECOND_MS } from "#lib/core/time.ts";

/** What the stream tells of (docs/guides/api.md). All but `alive` may be rows of `live_events`. */
export const LIVE_KINDS = ["task", "group", "post", "post_removed", "account", "credits", "reset", "alive"] as const;
export type LiveKind = (typeof LIVE_KINDS)[number];

/** A sign of life goes out this often; logins are looked at again as often. */
export const ALIVE_MS = 20 * SECOND_MS;

/** Open streams of one user, in one process. A browser needs one, however many tabs it has. */
export const STREAMS_MAX = 10;

/** Events read at once; who has missed more is told to read everything again instead (`reset`). */
export const NEWS_MAX = 200;

/** Bytes that may wait for one reader; one that lets more lie is cut off, and resumes. */
export const WAITING_BYTES_MAX = 256 * 1_024;

/** How long the browser waits before it connects again, as the stream proposes it. */
export const RECONNECT_MS = 2 * SECOND_MS;

export const LIVE_PATH = "/api/users/events/";

export const TEXTS = {
  tooManyStreams: `You have ${STREAMS_MAX} live connections open. Close one of them first.`,
  positionInvalid: "The position is the id of an event.",
} as const;
