/** Sources that a page allows beyond its own origin; all optional. */
export interface PolicySources {
  /** `'nonce-…'` and `'sha256-…'` of inline scripts. */
  scripts?: readonly string[];
  /** Origins of pictures. */
  images?: readonly string[];
  /** Origins that scripts may call. */
  connections?: readonly string[];
}

/**
 * The Content-Security-Policy of an answer (QUALITY row 18, decision 0011). Inline scripts run only where one is named;
 * inline styles do everywhere: places on a board are computed, and scroll locks and toasts write theirs at run time.
 */
export const contentPolicy = ({ scripts = [], images = [], connections = [] }: PolicySources = {}): string =>
  [
    ["default-src", "'self'"],
    ["script-src", "'self'", ...scripts],
    ["style-src", "'self'", "'unsafe-inline'"],
    ["img-src", "'self'", "data:", "blob:", ...images],
    ["connect-src", "'self'", ...connections],
    ["object-src", "'none'"],
    ["frame-src", "'none'"],
    ["base-uri", "'none'"],
    ["form-action", "'self'"],
    ["frame-ancestors", "'none'"],
  ]
    .map((directive) => directive.join(" "))
    .join("; ");

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
  "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()",
  "Cross-Origin-Opener-Policy": "same-origin",
  ...(appUrl.startsWith("https:") && { "Strict-Transport-Security": `max-age=${YEAR_SECONDS}` }),
});
