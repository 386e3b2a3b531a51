import { DAY_MS, MINUTE_MS } from "#lib/core/time.ts";

/** A page that was read isn't read again for this long. */
export const FRESH_MS = DAY_MS;
/** Shorter, so that a page that its owner fixed can be used soon. */
export const FRESH_UNREAD_MS = 10 * MINUTE_MS;

/** What is read of a page, so that each takes a bounded time. */
export const MARKUP_LIMITS = {
  ...{ chars: 2_000_000, chunk: 65_536, tags: 100_000, depth: 250 },
  ...{ text: 20_000, data: 500_000 },
} as const;

/** Items and properties of microdata, and properties within properties. */
export const MICRODATA_LIMITS = { values: 3_000, nested: 8 } as const;

/** Parts of its facts, in characters and items. */
export const FACT_LIMITS = {
  name: 200,
  description: 500,
  heading: 160,
  headings: 12,
  text: 4_000,
  ingredient: 160,
  ingredients: 40,
  step: 300,
  steps: 30,
  images: 10,
} as const;

/** Why a page was not used. Those of our reader come first, then those of the request. `blocked`: by robots.txt. */
export const UNREAD_REASONS = [
  ...["charset", "no_text", "login", "robot_check", "status", "too_large", "not_page", "too_many_redirects", "no_host"],
  ...["no_answer", "untrusted", "refused", "no_route", "offline", "busy", "blocked", "robots_unread"],
] as const;
