import "server-only";
import { createHash } from "node:crypto";
import { AD_PIXEL_ORIGIN } from "#lib/core/ad-pixel.ts";
import { randomToken } from "#lib/core/digest.ts";
import { contentPolicy } from "#lib/core/security-headers.ts";
import { buildFolder, isDevelopment, pageEnv } from "#lib/env.ts";
import { type BuiltPages, readBuiltPages } from "./built-pages.ts";

/** How a page is answered: with which policy, and whether it is the same for everybody. */
export interface PagePolicy {
  policy: string;
  isStatic: boolean;
}

/** Next in development evaluates code, writes inline scripts of its own and listens for changes. */
const LOOSE = { scripts: ["'unsafe-inline'", "'unsafe-eval'"], connections: ["ws:"] };

let pages: BuiltPages | undefined;

const imagesAllowed = (): string[] => (pageEnv().AD_PIXEL_ID ? [AD_PIXEL_ORIGIN] : []);

/**
 * The policy for the page at a path (STACK 14, decision 0011): a static page names the hashes of its own inline
 * scripts; one that is rendered for each request gets a nonce, which Next reads from the policy it is handed.
 * @param everyPage the text of the inline script in the root layout, which Next gives no nonce
 */
export const policyOf = (path: string, everyPage: string): PagePolicy => {
  const images = imagesAllowed();
  if (isDevelopment()) return { policy: contentPolicy({ ...LOOSE, images }), isStatic: false };
  pages ??= readBuiltPages(buildFolder());
  const hashes = pages.scriptsOf(path);
  if (hashes) return { policy: contentPolicy({ scripts: hashes, images }), isStatic: true };
  const everywhere = `'sha256-${createHash("sha256").update(everyPage).digest("base64")}'`;
  const scripts = [`'nonce-${randomToken()}'`, ...new Set([everywhere, ...pages.failureScripts()])];
  return { policy: contentPolicy({ scripts, images }), isStatic: false };
};
