import { HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { PLANS, type PlanSlug } from "#lib/features/billing/plans.ts";

/** What a key may do. Keys never reach billing, passwords, emails, deletion, or other keys. */
export const SCOPES = [
  "accounts:read",
  "pins:read",
  "pins:write",
  "schedule:write",
  "analytics:read",
  "credits:read",
  "videos:read",
  "videos:write",
  "webhooks:read",
  "webhooks:write",
] as const;
export type Scope = (typeof SCOPES)[number];

export const SCOPE_TEXTS: Record<Scope, string> = {
  "accounts:read": "See Pinterest accounts, boards, and sections",
  "pins:read": "See pins, generations, and keyword lists",
  "pins:write": "Create, edit, and delete drafts, and generate pins with your credits",
  "schedule:write": "Schedule and publish pins",
  "analytics:read": "See analytics and keyword trends",
  "credits:read": "See your credit balance and history",
  "videos:read": "See saved videos",
  "videos:write": "Save and delete videos",
  "webhooks:read": "See webhooks and what was sent to them",
  "webhooks:write": "Create, edit, and delete webhooks, which receive the data of your events",
};

/** Our servers that accept keys: the public API, and the MCP server. */
export const AUDIENCES = ["api", "mcp"] as const;
export type Audience = (typeof AUDIENCES)[number];

/** No tool of the MCP server deletes. */
export const scopeText = (scope: Scope, audience: Audience): string =>
  audience === "mcp" && scope === "pins:write"
    ? "Create and edit drafts, and generate pins with your credits"
    : SCOPE_TEXTS[scope];

/** Keys and connected apps that work at the same time. More than a smaller plan allows keep working. */
export const KEYS_MAX: Record<PlanSlug, number> = { free: 2, basic: 5, growth: 10, pro: 25 };

export const KEY_NAME_MAX = 60;

/** Credits that a key may spend in a UTC day: what Settings suggests, and the most that it can say. */
export const DAILY_CREDITS_DEFAULT = 50;
export const DAILY_CREDITS_MAX = 10_000;

/** In days; null: the key doesn't expire. */
export const KEY_LIFETIMES_DAYS = [30, 90, 365, null] as const;
export type KeyLifetime = (typeof KEY_LIFETIMES_DAYS)[number];

/** A prefix that secret scanners can look for, followed by random characters and a checksum. */
export const SECRET_PREFIX = "evertack_";
export const SECRET_RANDOM_CHARS = 32;
export const SECRET_CHECKSUM_CHARS = 6;
/** Characters of the secret that Settings shows: the prefix and four more. */
export const SECRET_SHOWN_CHARS = SECRET_PREFIX.length + 4;

/** How long the answer to a write with an idempotency key is kept. */
export const WRITE_KEPT_MS = 24 * HOUR_MS;
/** Longer than any write takes. After it, a repeated request runs again. */
export const WRITE_LEASE_MS = 2 * MINUTE_MS;

/** Entries of each key shown in Settings, so that a busy key can't hide another; the data export has more. */
export const USES_SHOWN_PER_KEY = 50;
export const USES_SHOWN = 1_000;
export const USES_EXPORTED_MAX = 2_000;

export const TEXTS = {
  nameMissing: "Enter a name.",
  nameTooLong: `A name can have up to ${KEY_NAME_MAX} characters.`,
  noScopes: "Choose at least one permission.",
  scopeInvalid: "Choose permissions from the list.",
  dailyCreditsInvalid: `Enter a whole number from 0 to ${DAILY_CREDITS_MAX.toLocaleString("en-US")}, or leave it blank for no limit.`,
  lifetimeInvalid: "Choose how long the key works.",
  expired: "This API key has expired. Create a new one in Settings.",
  revoked: "This API key was revoked. Create a new one in Settings.",
  tokenExpired: "The access token has expired. Refresh it.",
  disconnected: "The user disconnected this app.",
  misdirected: "This access token is for a different API. Request one for this URL.",
} as const;

export const keyLimitText = (plan: PlanSlug): string => {
  const more = plan === "pro" ? "Revoke or disconnect one first." : "Revoke or disconnect one first, or upgrade.";
  return `The ${PLANS[plan].name} plan includes ${KEYS_MAX[plan]} API keys and connected apps in total. ${more}`;
};

export const dailyLimitText = (limit: number, left: number): string => {
  if (limit === 0) return "This key or app isn't allowed to spend credits.";
  const credits = `${limit} ${limit === 1 ? "credit" : "credits"}`;
  return left === 0
    ? `This key or app has used its daily limit of ${credits}. Try again after midnight UTC.`
    : `This key or app can spend up to ${credits} a day (UTC) and has ${left} left today. Request fewer pins, or try again after midnight UTC.`;
};
