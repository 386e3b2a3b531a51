import { SECOND_MS } from "#lib/core/time.ts";

/** See docs/guides/api.md. All but `alive` are stored in `live_events`. */
export const LIVE_KINDS = ["task", "group", "post", "post_removed", "account", "credits", "reset", "alive"] as const;

/** Also the interval of checking that logins are still active. */
export const HEARTBEAT_MS = 20 * SECOND_MS;

/** A browser needs one for all its tabs. */
export const STREAMS_MAX = 10;

/** A client that missed more gets a `reset` event and reloads everything. */
export const LIVE_EVENTS_MAX = 200;

/** A slower client is disconnected and can resume. */
export const BUFFERED_BYTES_MAX = 256 * 1_024;

export const RECONNECT_MS = 2 * SECOND_MS;

export const LIVE_PATH = "/api/users/events/";

export const TEXTS = {
  tooManyStreams: `You have ${STREAMS_MAX} live connections open. Close one and try again.`,
  positionInvalid: "The position must be an event ID.",
} as const;
