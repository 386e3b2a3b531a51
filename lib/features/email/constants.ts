import { HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";

/** Longer than the email client's timeouts. */
export const SENDING_LEASE_MS = 2 * MINUTE_MS;

/** Doubles up to the maximum. */
export const STALLED_FIRST_MS = 2 * MINUTE_MS;
export const STALLED_MAX_MS = 6 * HOUR_MS;
export const SWEEP_BATCH = 200;

export const DIGEST_KINDS = ["pins_failed", "account_lost", "links_dead"] as const;
export type DigestKind = (typeof DIGEST_KINDS)[number];

/** All others are about the account itself. */
export const MUTABLE_EMAILS = [...DIGEST_KINDS, "credits_low", "weekly_results"] as const;
export type MutableEmail = (typeof MUTABLE_EMAILS)[number];
