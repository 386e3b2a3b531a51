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
const permissionsPolicy = (payment = ""): string =>
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

/** Pages that open the checkout, and nobody else's: what they allow, no other page does (decision 0016). */
const PAGES: readonly string[] = ["/pricing", "/upgrade-success", "/upgrade-error", "/app/buy-credits"];

/** Whether the page at a path opens the checkout. */
export const isCheckoutPage = (path: string): boolean => PAGES.includes(path.replace(/\/+$/, ""));

/** Which checkout a page opens: the provider's own, or the one whose script stands at another address. */
export interface CheckoutOrigin {
  environment: "sandbox" | "production";
  scriptUrl: string | null;
}

/** Where the provider's script, frame and calls come from. The sandbox's script comes from the one address as well. */
const PADDLE = {
  production: {
    scripts: ["https://cdn.paddle.com"],
    assets: "https://cdn.paddle.com",
    frames: ["https://buy.paddle.com"],
    connections: ["https://checkout-service.paddle.com", "https://create-checkout.paddle.com"],
  },
  sandbox: {
    scripts: ["https://cdn.paddle.com", "https://sandbox-cdn.paddle.com"],
    assets: "https://sandbox-cdn.paddle.com",
    // Its script shows what went wrong in a page of its own.
    frames: ["https://sandbox-buy.paddle.com", "https://sandbox-cdn.paddle.com"],
    connections: ["https://sandbox-checkout-service.paddle.com", "https://sandbox-create-checkout.paddle.com"],
  },
} as const;

/** What a page that opens the checkout allows beyond its own origin. */
export const checkoutSources = ({ environment, scriptUrl }: CheckoutOrigin): Required<PolicySources> => {
  if (scriptUrl !== null) {
    const all = [new URL(scriptUrl).origin];
    return { scripts: all, styles: all, images: all, frames: all, connections: all };
  }
  const { scripts, assets, frames, connections } = PADDLE[environment];
  return { scripts, styles: [assets], images: [assets], frames, connections };
};

/**
 * The headers in which such a page differs: windows that the checkout opens, of a bank or a wallet, may answer it; and
 * its frame may ask the browser for a kept card.
 */
export const checkoutHeaders = (origin: CheckoutOrigin): Record<string, string> => {
  const [frame] = checkoutSources(origin).frames;
  return {
    "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
    "Permissions-Policy": permissionsPolicy(`self "${frame}"`),
  };
};
