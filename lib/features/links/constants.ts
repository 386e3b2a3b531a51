import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";

export const TEXTS = {
  checking: "Checking the link.",
  ok: "This link looks good now.",
} as const;

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

/** States that say nothing about the page itself and are checked again soon. */
export const INCONCLUSIVE_STATES = ["unreachable", "offline"] as const satisfies readonly LinkState[];

/** A change from an up state to a down state is reported to the owner by email. */
export const UP_STATES = [
  "ok",
  "redirects",
  "shortener",
  "insecure",
  "untrusted",
] as const satisfies readonly LinkState[];
export const DOWN_STATES = ["dead", "unreachable"] as const satisfies readonly LinkState[];

/** How long results count; inconclusive ones are checked again sooner. */
export const FRESH_MS = DAY_MS;
export const FRESH_INCONCLUSIVE_MS = HOUR_MS;

/** Pressing "Check again" twice within this time requests one check. */
export const RECHECK_GAP_MS = 3 * SECOND_MS;

/** A page that does not respond is tried once more before its owner is notified. */
export const RETRY_DELAY_MS = MINUTE_MS;
export const TRIES_MAX = 2;

export const HOST_MAX = 253;

export const HOST_CHECKS_MAX = 30;
export const HOST_WINDOW_MS = MINUTE_MS;
/** How late a run may come to its reserved request; the window of reserved requests is longer by this. */
export const RESERVED_LATE_MS = 10 * SECOND_MS;
export const RESERVED_WINDOW_MS = HOST_WINDOW_MS + RESERVED_LATE_MS;
/** Reserved requests are spread evenly over that window. */
export const RESERVED_GAP_MS = Math.ceil(RESERVED_WINDOW_MS / HOST_CHECKS_MAX);

/** For all sites of a shared host together: anyone can create more names for free. */
export const SHARED_HOST_CHECKS_MAX = 10 * HOST_CHECKS_MAX;

/** Their subdomains are sites of different owners. */
export const SHARED_HOSTS: readonly string[] = [
  ...["beehiiv.com", "bigcartel.com", "blogspot.com", "carrd.co", "company.site", "ecwid.com"],
  ...["fly.dev", "framer.website", "ghost.io", "github.io", "gitlab.io", "gumroad.com", "hatenablog.com"],
  ...["herokuapp.com", "itch.io", "jimdofree.com", "jimdosite.com", "livejournal.com", "mybigcommerce.com"],
  ...["mypixieset.com", "myshopify.com", "mystrikingly.com", "netlify.app", "notion.site", "onrender.com"],
  ...["over-blog.com", "pages.dev", "payhip.com", "pixieset.com", "sellfy.store", "square.site", "squarespace.com"],
  ...["storenvy.com", "substack.com", "tumblr.com", "typepad.com", "vercel.app", "web.app", "webflow.io"],
  ...["webnode.page", "weebly.com", "wixsite.com", "wordpress.com", "wpcomstaging.com", "wpengine.com"],
];

export const STALLED_FIRST_MS = 5 * MINUTE_MS;
export const STALLED_MAX_MS = 6 * HOUR_MS;
export const SWEEP_BATCH = 200;

/** Hosts that only redirect; Pinterest often rejects them. */
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
