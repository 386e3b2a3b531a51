import { HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import type { MutableEmail } from "#lib/features/email/constants.ts";

/** After its first event, and at most once per interval. */
export const DIGEST_DELAY_MS = 15 * MINUTE_MS;
export const DIGEST_INTERVAL_MS = HOUR_MS;

export const DIGEST_BATCH = 200;

export const DIGEST_ITEMS_MAX = 10;

export const TEXTS = {
  linkInvalid: "This link is invalid or incomplete.",
  kindInvalid: "Unknown kind of email.",
} as const;

export const EMAIL_LABELS: Record<MutableEmail, { name: string; when: string; inSentence: string }> = {
  pins_failed: {
    name: "Pins that failed to publish",
    when: "When Pinterest rejects a pin or we can't publish it.",
    inSentence: "pins that failed to publish",
  },
  account_lost: {
    name: "Disconnected accounts",
    when: "When an account loses its connection. Its scheduled pins wait until you reconnect.",
    inSentence: "disconnected accounts",
  },
  links_dead: {
    name: "Broken links",
    when: "When a draft's or scheduled pin's destination link stops working.",
    inSentence: "broken links",
  },
  credits_low: {
    name: "Low credits",
    when: "When your balance drops below 10 credits.",
    inSentence: "low credits",
  },
  weekly_results: {
    name: "Your week on Pinterest",
    when: "Every Monday: your impressions, your best keyword and pin, and new pages on sites you watch.",
    inSentence: "your week on Pinterest",
  },
};
