import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

/** What users choose from, with the name that the screen shows. */
export const WEBHOOK_EVENTS = {
  "pin.published": "Pin published",
  "pin.failed": "Pin failed",
  "generation.finished": "Generation finished",
  "account.lost": "Account disconnected",
  "credits.low": "Credits low",
  "link.dead": "Link stopped working",
} as const;

export type WebhookEvent = keyof typeof WEBHOOK_EVENTS;
export const WEBHOOK_EVENT_TYPES = Object.keys(WEBHOOK_EVENTS) as WebhookEvent[];

export const TEST_EVENT = "test";

export const ENDPOINTS_MAX = 5;
export const DESCRIPTION_MAX = 100;
export const DELIVERIES_PAGE = 20;
export const DELIVERIES_PAGE_MAX = 100;

/** How long the old secret also signs after a rotation. */
export const ROTATION_MS = 24 * HOUR_MS;

export const TIMEOUT_MS = 10 * SECOND_MS;
export const EXCERPT_BYTES = 2_048;
/** Longer than an attempt can take. */
export const SENDING_LEASE_MS = 3 * TIMEOUT_MS;

/** After the first failure, the second one, and so on: ten attempts within about 27 hours. */
export const RETRY_PAUSES_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  6 * HOUR_MS,
  6 * HOUR_MS,
  8 * HOUR_MS,
] as const;

/** Each pause grows by up to this share, so that endpoints of one server aren't all tried at once. */
export const JITTER = 0.1;

/** While our own server is offline, which counts as no attempt. */
export const OFFLINE_PAUSE_MS = MINUTE_MS;

/** An endpoint is turned off when a message runs out of attempts and nothing was delivered for this long. */
export const FAILING_MAX_MS = 3 * DAY_MS;

/** A run waits this long for the next attempt; the sweep starts another run for later ones. */
export const WAIT_IN_RUN_MAX_MS = 30 * SECOND_MS;
export const SWEEP_BATCH = 200;

export const TEXTS = {
  nameInvalid: "Enter a description of at most 100 characters.",
  rotatedToday:
    "You replaced the secret less than a day ago, and the old one still works. Wait a day, or delete this webhook and add it again.",
  urlInvalid: "Enter a URL that starts with https://, without a port, user name, or password.",
  urlInsecure: "Enter a URL that starts with https://, so that your events are sent encrypted.",
  eventsInvalid: "Choose at least one event.",
  tooMany: `You can have up to ${ENDPOINTS_MAX} webhooks. Delete one to add another.`,
  disabled: "This webhook is turned off. Turn it on and try again.",
  foreignCursor: "This cursor isn't valid for this list.",
} as const;
