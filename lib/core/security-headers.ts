/** Sources that a page allows beyond its own origin; all optional. */
export interface PolicySources {
  /** `'nonce-…'` and `'sha256-…'` of inline scripts. */
  scripts?: readonly string[];
  /** Origins of pictures; `https:` where a person's own material decides. */
  images?: readonly string[];
  /** Origins that scripts may call. */
  connections?: readonly string[];
  /** Origins of style sheets. */
  styles?: readonly string[];
  /** Origins of frames; without one there are none. */
  frames?: readonly string[];
}

/**
 * The Content-Security-Policy of an answer (QUALITY row 18, decision 0011). Inline scripts run only where one is named;
 * inline styles do everywhere: places on a board are computed, and scroll locks and toasts write theirs at run time.
 */
export const contentPolicy = ({
  scripts = [],
  images = [],
  connections = [],
  styles = [],
  frames = [],
}: PolicySources = {}): string =>
  [
    ["default-src", "'self'"],
    ["script-src", "'self'", ...scripts],
    ["style-src", "'self'", "'unsafe-inline'", ...styles],
    ["img-src", "'self'", "data:", "blob:", ...images],
    ["connect-src", "'self'", ...connections],
    ["worker-src", "'self'"],
    ["object-src", "'none'"],
    ["frame-src", ...(frames.length > 0 ? frames : ["'none'"])],
    ["base-uri", "'none'"],
    ["form-action", "'self'"],
    ["frame-ancestors", "'none'"],
  ]
    .map((directive) => directive.join(" "))
    .join("; ");

/** Which of the browser's powers a page and its frames may use. @param payment who may ask for a kept card */
export const permissionsPolicy = (payment = ""): string =>
  `camera=(), microphone=(), geolocation=(), payment=(${payment}), usb=(), browsing-topics=()`;

const YEAR_SECONDS = 31_536_000;

/**
 * What every answer carries, a file's as well as a page's; pages bring a policy of their own for their inline scripts.
 * @param appUrl the public origin; https ones ask browsers to stay there for a year
 */
export const securityHeaders = (appUrl: string): Record<string, string> => ({
  "Content-Security-Policy": contentPolicy(),
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "strict-origin-when-cross-origin",
  "Permissions-Policy": permissionsPolicy(),
  "Cross-Origin-Opener-Policy": "same-origin",
  ...(appUrl.startsWith("https:") && { "Strict-Transport-Security": `max-age=${YEAR_SECONDS}` }),
});
