import { YEAR_SECONDS } from "./time.ts";
export interface PolicySources {
  scripts?: readonly string[];
  /** Image origins; `https:` when users' own material decides. */
  images?: readonly string[];
  connections?: readonly string[];
  styles?: readonly string[];
  frames?: readonly string[];
}

/** Inline styles are allowed: layout and toasts need them (decision 0011). */
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
    // A chosen video is played from the browser's memory before it is uploaded.
    ["media-src", "'self'", "blob:"],
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

/** @param payment who may use saved cards */
const permissionsPolicy = (payment = ""): string =>
  `camera=(), microphone=(), geolocation=(), payment=(${payment}), usb=(), browsing-topics=()`;

/** Pages add a policy for their inline scripts. An https `appUrl` turns on HSTS for a year. */
export const securityHeaders = (appUrl: string): Record<string, string> => ({
  "Content-Security-Policy": contentPolicy(),
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "strict-origin-when-cross-origin",
  "Permissions-Policy": permissionsPolicy(),
  "Cross-Origin-Opener-Policy": "same-origin",
  ...(appUrl.startsWith("https:") && { "Strict-Transport-Security": `max-age=${YEAR_SECONDS}` }),
});

/** Only these pages allow what the checkout needs (decision 0016). */
const PAGES: readonly string[] = ["/pricing", "/upgrade-success", "/upgrade-error", "/app/buy-credits"];

export const isCheckoutPage = (path: string): boolean => PAGES.includes(path.replace(/\/+$/, ""));

/** The only page that shows images of users' sites, which may be anywhere. */
export const isSitePage = (path: string): boolean => path.replace(/\/+$/, "") === "/app/pages";

export interface CheckoutOrigin {
  environment: "sandbox" | "production";
  scriptUrl: string | null;
}

/** Origins of Paddle's script, frames and calls. The sandbox also uses the production script's origin. */
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
    // Its script shows errors in a page of its own.
    frames: ["https://sandbox-buy.paddle.com", "https://sandbox-cdn.paddle.com"],
    connections: ["https://sandbox-checkout-service.paddle.com", "https://sandbox-create-checkout.paddle.com"],
  },
} as const;

export const checkoutSources = ({ environment, scriptUrl }: CheckoutOrigin): Required<PolicySources> => {
  if (scriptUrl !== null) {
    const all = [new URL(scriptUrl).origin];
    return { scripts: all, styles: all, images: all, frames: all, connections: all };
  }
  const { scripts, assets, frames, connections } = PADDLE[environment];
  return { scripts, styles: [assets], images: [assets], frames, connections };
};

/** Header overrides of checkout pages: popups of banks and wallets may respond, and the frame may use saved cards. */
export const checkoutHeaders = (origin: CheckoutOrigin): Record<string, string> => {
  const [frame] = checkoutSources(origin).frames;
  return {
    "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
    "Permissions-Policy": permissionsPolicy(`self "${frame}"`),
  };
};
