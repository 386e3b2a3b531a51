import { HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import type { MutableMail } from "#lib/features/email/constants.ts";

/** What happened first waits so long for company, and a user gets one such mail in so long. */
export const GATHER_MS = 15 * MINUTE_MS;
export const MAIL_GAP_MS = HOUR_MS;

/** Users who are told in one run; the next one comes in a minute. */
export const GATHER_BATCH = 200;

/** So many things of a kind are named in a mail; the others are counted. */
export const NAMED_MAX = 10;

export const TEXTS = {
  linkInvalid: "This link is not one of ours, or is not whole.",
  kindInvalid: "This kind of mail is not known.",
} as const;

/** The kinds of mail that can be switched off, as people read them: a name, when one is sent, and inside a sentence. */
export const MAIL_WORDS: Record<MutableMail, { name: string; when: string; inSentence: string }> = {
  pins_failed: {
    name: "Pins that were not published",
    when: "Pinterest refused them, or they were given up.",
    inSentence: "pins that were not published",
  },
  account_lost: {
    name: "Accounts that lost their connection",
    when: "Scheduled pins wait until you connect again.",
    inSentence: "accounts that lost their connection",
  },
  links_dead: {
    name: "Links that do not answer",
    when: "A page that a draft or a scheduled pin leads to answered before, and no longer does.",
    inSentence: "links that do not answer",
  },
  credits_low: {
    name: "Credits running low",
    when: "Your balance fell below 10 credits.",
    inSentence: "credits running low",
  },
  weekly_results: {
    name: "Your week on Pinterest",
    when: "Each Monday: how often your pins were seen, and which keyword and pin did best.",
    inSentence: "your week on Pinterest",
  },
};
