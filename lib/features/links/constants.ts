import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

/** What screens say about looking. */
export const TEXTS = {
  looking: "Looking at the link.",
  fine: "Nothing stands against this link now.",
} as const;

/** What is known of an address that pins lead to, as the database and the wire name it. */
export const LINK_STATES = [
  "pending",
  "ok",
  "redirects",
  "shortener",
  "insecure",
  "untrusted",
  "dead",
  "unreachable",
  "refused",
  "offline",
] as const;
export type LinkState = (typeof LINK_STATES)[number];

/** States in which nothing was learned about the page itself, so that it is worth looking again soon. */
export const UNSETTLED_STATES = ["unreachable", "offline"] as const satisfies readonly LinkState[];

/** States of a page that answered, and of one that did not: who turns from the one to the other is told by mail. */
export const ANSWERING_STATES = [
  "ok",
  "redirects",
  "shortener",
  "insecure",
  "untrusted",
] as const satisfies readonly LinkState[];
export const GONE_STATES = ["dead", "unreachable"] as const satisfies readonly LinkState[];

/** What was found counts for so long; what was not reached is looked at again sooner. */
export const FRESH_MS = DAY_MS;
export const FRESH_UNSETTLED_MS = HOUR_MS;

/** Whoever asks for another look gets one after so long: pressed twice, a button asks once. */
export const AGAIN_MS = 3 * SECOND_MS;

/** A page that does not answer is asked once more after so long, before anybody is told. */
export const SECOND_LOOK_MS = MINUTE_MS;
export const LOOKS_MAX = 2;

/** Characters of a site by which checks are paced. No name is longer; nobody has one that is. */
export const HOST_MAX = 253;

/** Requests to one site in a minute, whoever asks for them: first ones, and those that follow a redirect there. */
export const HOST_CHECKS_MAX = 30;
export const HOST_WINDOW_MS = MINUTE_MS;
/** How long a check waits when a site on its way has had its share. */
export const HOST_PAUSE_MS = 20 * SECOND_MS;

/** After so long the sweep has a link checked that nobody has checked; each time after twice as long. */
export const FORGOTTEN_FIRST_MS = 5 * MINUTE_MS;
export const FORGOTTEN_LONGEST_MS = 6 * HOUR_MS;
export const SWEEP_BATCH = 200;

/** Hosts whose links lead elsewhere by design; Pinterest often refuses them. */
export const SHORTENERS: readonly string[] = [
  "amzn.to",
  "bit.ly",
  "bl.ink",
  "buff.ly",
  "cutt.ly",
  "dlvr.it",
  "etsy.me",
  "geni.us",
  "goo.gl",
  "ift.tt",
  "is.gd",
  "lnkd.in",
  "ow.ly",
  "pin.it",
  "rb.gy",
  "rebrand.ly",
  "s.id",
  "shorturl.at",
  "t.co",
  "t.ly",
  "tiny.cc",
  "tinyurl.com",
  "trib.al",
  "v.gd",
];
