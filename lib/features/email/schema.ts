import { z } from "zod";
import { type EmailId, isId } from "#lib/core/ids.ts";
import { DIGEST_KINDS } from "./constants.ts";

/** Changes of who can act as a user that an email reports, as the security log names them. */
const SIGN_IN_CHANGES = [
  "passkey_added",
  "passkey_removed",
  "codes_enabled",
  "codes_disabled",
  "recovery_codes_created",
  "google_linked",
  "google_unlinked",
  "api_key_created",
  "api_key_rotated",
  "api_key_revoked",
  "app_connected",
  "app_disconnected",
] as const;
export type SignInChange = (typeof SIGN_IN_CHANGES)[number];

const text = z.string();

/** The token is derived from `seed` and a secret when the email is sent, and never stored. */
const signedLink = z.object({ path: text, seed: text });

const unsubscribeLink = z.object({ claim: text, seed: text });

const digestSection = z.object({
  about: z.enum(DIGEST_KINDS),
  total: z.number().int().min(1),
  items: z.array(z.object({ subject: text, reason: text })),
});
export type DigestSection = z.output<typeof digestSection>;

const count = z.number().int().min(0);
const share = z.number().min(0).max(1);

/** Over seven UTC days. */
const weeklySummary = z.object({
  firstDay: text,
  lastDay: text,
  impressions: count,
  impressionsBefore: count,
  /** Published pins with metrics. */
  counted: count,
  published: count,
  /** With its 95 % interval. `isSure`: significant; `level`: keywords it does not lead. Null when undecided. */
  keyword: z
    .object({
      ...{ label: text, days: count, rate: share, low: share, high: share },
      isSure: z.boolean().default(false),
      level: count.default(0),
    })
    .nullable(),
  pin: z.object({ title: text, impressions: count, outboundClicks: count }).nullable(),
});
export type WeeklySummary = z.output<typeof weeklySummary>;

/**
 * All values may be user input and are rendered as plain text. `firstName` and `newEmail` are empty for an address that
 * its user has not confirmed: it may be a stranger's.
 */
export const emailContent = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("verification"), link: signedLink }),
  z.object({ kind: z.literal("reset"), firstName: text, link: signedLink }),
  /** `hasRemovedAccess`: a reset also removed other ways into the account. */
  z.object({ kind: z.literal("password_changed"), firstName: text, hasRemovedAccess: z.boolean().optional() }),
  z.object({ kind: z.literal("sign_in_changed"), firstName: text, change: z.enum(SIGN_IN_CHANGES), detail: text }),
  z.object({ kind: z.literal("new_device"), firstName: text, device: text, network: text, at: text }),
  z.object({ kind: z.literal("email_change"), link: signedLink }),
  z.object({ kind: z.literal("email_change_asked"), firstName: text, newEmail: text }),
  z.object({ kind: z.literal("email_changed"), firstName: text, newEmail: text }),
  z.object({ kind: z.literal("contact_message"), name: text, email: text, subject: text, message: text }),
  /** Only acknowledges a message; earlier versions queued a copy of it. */
  z.object({ kind: z.literal("contact_copy") }),
  z.object({ kind: z.literal("farewell"), firstName: text }),
  z.object({
    kind: z.literal("credits_low"),
    firstName: text,
    availableCredits: z.number().int(),
    unsubscribe: unsubscribeLink.optional(),
  }),
  z.object({
    kind: z.literal("digest"),
    firstName: text,
    sections: z.array(digestSection).min(1),
    unsubscribe: unsubscribeLink,
  }),
  z.object({
    kind: z.literal("weekly_results"),
    firstName: text,
    /** Null without results; then there are new pages. */
    week: weeklySummary.nullable(),
    /** Of watched sites. */
    newPages: count.optional(),
    unsubscribe: unsubscribeLink,
  }),
  z.object({
    kind: z.literal("webhook_disabled"),
    firstName: text,
    /** Empty for an address that its user has not confirmed. */
    url: text,
    reason: z.enum(["gone", "failing"]),
  }),
  z.object({ kind: z.literal("payment_held"), subject: text, reason: text, user: text, amount: text }),
]);
export type EmailContent = z.output<typeof emailContent>;

export const emailQueued = z.object({ emailId: z.custom<EmailId>((value) => isId("email", value)) });
