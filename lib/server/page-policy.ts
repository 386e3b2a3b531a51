import "server-only";
import { createHash } from "node:crypto";
import { AD_PIXEL_ORIGIN } from "#lib/core/ad-pixel.ts";
import { type CheckoutOrigin, checkoutHeaders, checkoutSources, isCheckoutPage } from "#lib/core/checkout-sources.ts";
import { randomToken } from "#lib/core/digest.ts";
import { contentPolicy, type PolicySources } from "#lib/core/security-headers.ts";
import { isVideoPage, VIDEO_PICTURES } from "#lib/core/video-pages.ts";
import { buildFolder, env, isDevelopment, pageEnv } from "#lib/env.ts";
import { type BuiltPages, readBuiltPages } from "./built-pages.ts";

/** How a page is answered: with which policy, and whether it is the same for everybody. */
export interface PagePolicy {
  policy: string;
  isStatic: boolean;
  /** Other headers in which the page differs from all others. */
  headers: Record<string, string>;
}

/** Next in development evaluates code, writes inline scripts of its own and listens for changes. */
const LOOSE = { scripts: ["'unsafe-inline'", "'unsafe-eval'"], connections: ["ws:"] };

let pages: BuiltPages | undefined;

const checkoutOrigin = (): CheckoutOrigin => ({
  environment: env().PADDLE_ENVIRONMENT,
  scriptUrl: env().PADDLE_JS_URL ?? null,
});

/** What the page at a path allows besides its own scripts. */
const sourcesOf = (path: string): Required<PolicySources> => {
  const pixel = pageEnv().AD_PIXEL_ID ? [AD_PIXEL_ORIGIN] : [];
  if (!isCheckoutPage(path)) {
    const images = isVideoPage(path) ? [...pixel, ...VIDEO_PICTURES] : pixel;
    return { scripts: [], images, connections: [], styles: [], frames: [] };
  }
  const checkout = checkoutSources(checkoutOrigin());
  return { ...checkout, images: [...pixel, ...checkout.images] };
};

/** The inline scripts that may run in the page at a path, and whether it is the same for everybody. */
const inlineScripts = (path: string, everyPage: string): { isStatic: boolean; scripts: readonly string[] } => {
  pages ??= readBuiltPages(buildFolder());
  const hashes = pages.scriptsOf(path);
  if (hashes) return { isStatic: true, scripts: hashes };
  const everywhere = `'sha256-${createHash("sha256").update(everyPage).digest("base64")}'`;
  const scripts = [`'nonce-${randomToken()}'`, ...new Set([everywhere, ...pages.failureScripts()])];
  return { isStatic: false, scripts };
};

/**
 * The policy for the page at a path (STACK 14, decisions 0011 and 0016): a static page names the hashes of its own
 * inline scripts; one that is rendered for each request gets a nonce, which Next reads from the policy it is handed. A
 * page that opens the checkout names the provider as well, one that shows pictures of videos allows those of any site.
 * @param everyPage the text of the inline script in the root layout, which Next gives no nonce
 */
export const policyOf = (path: string, everyPage: string): PagePolicy => {
  const sources = sourcesOf(path);
  const { isStatic, scripts } = isDevelopment()
    ? { isStatic: false, scripts: LOOSE.scripts }
    : inlineScripts(path, everyPage);
  const connections = [...sources.connections, ...(isDevelopment() ? LOOSE.connections : [])];
  return {
    policy: contentPolicy({ ...sources, scripts: [...scripts, ...sources.scripts], connections }),
    isStatic,
    headers: isCheckoutPage(path) ? checkoutHeaders(checkoutOrigin()) : {},
  };
};
