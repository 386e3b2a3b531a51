import { HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";

/** How long one who sends a mail is left alone: longer than the mail client tries. */
export const SENDING_LEASE_MS = 2 * MINUTE_MS;

/** After so long the sweep has a mail sent that nobody has sent; each time after twice as long, up to the longest. */
export const FORGOTTEN_FIRST_MS = 2 * MINUTE_MS;
export const FORGOTTEN_LONGEST_MS = 6 * HOUR_MS;
export const SWEEP_BATCH = 200;

/** What happens while nobody looks, gathered into one mail (`lib/features/notifications`). */
export const DIGEST_KINDS = ["pins_failed", "account_lost", "links_dead"] as const;
export type DigestKind = (typeof DIGEST_KINDS)[number];

/** Kinds of mail that their reader can switch off; all others are about the account itself. */
export const MUTABLE_MAILS = [...DIGEST_KINDS, "credits_low", "weekly_results"] as const;
export type MutableMail = (typeof MUTABLE_MAILS)[number];
