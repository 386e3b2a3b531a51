import "server-only";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { AD_PIXEL_ORIGIN } from "#lib/core/ad-pixel.ts";
import { randomToken } from "#lib/core/crypto.ts";
import {
  type CheckoutOrigin,
  checkoutHeaders,
  checkoutSources,
  contentPolicy,
  isCheckoutPage,
  type PolicySources,
} from "#lib/core/security-headers.ts";
import { isVideoPage, VIDEO_PICTURES } from "#lib/core/video-pages.ts";
import { buildFolder, env, isDevelopment, pageEnv } from "#lib/env.ts";

const prerendered = z.object({
  routes: z.record(z.string(), z.unknown()),
  dynamicRoutes: z.record(z.string(), z.object({ fallback: z.union([z.string(), z.null(), z.literal(false)]) })),
});
const pattern = z.object({ page: z.string(), regex: z.string() });
const routes = z.object({ staticRoutes: z.array(pattern), dynamicRoutes: z.array(pattern) });

/** What Next built, as far as a policy for scripts must know it. */
interface BuiltPages {
  /**
   * `'sha256-…'` of each inline script in the static page that answers a path; null where it is rendered for each
   * request. A path that leads nowhere is answered by the static page for those.
   */
  scriptsOf(path: string): readonly string[] | null;
  /** The same of the page that stands in when rendering fails. */
  failureScripts(): readonly string[];
}

const NOT_FOUND = "/_not-found";
const FAILURE = "/_global-error";
/** Data blocks, which are never run, name another type than these. */
const RUNS = /^(?:|module|text\/javascript)$/;

/** The hashes of what runs inline in a page, as a policy names them. Next escapes `>` in attributes. */
export const hashesIn = (html: string): string[] => {
  const inline = [...html.matchAll(/<script((?:\s[^>]*)?)>([\s\S]*?)<\/script>/g)].filter(([, attributes = ""]) => {
    const type = /\stype="([^"]*)"/.exec(attributes)?.[1] ?? "";
    return !/\ssrc=/.test(attributes) && RUNS.test(type);
  });
  const hashes = inline.map(([, , text = ""]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
  return [...new Set(hashes)];
};

/** As the manifests spell a path: letters plain, an encoded slash no slash, none at the end. */
const spelled = (path: string): string => decodeURI(path).replace(/\/+$/, "") || "/";

/** Reads what lies in a build's folder; each page once, when it is first asked for. */
const readBuiltPages = (folder: string): BuiltPages => {
  // The folder is known at run time alone: the bundler must not look for it.
  const at = (...names: string[]): string => join(/* turbopackIgnore: true */ folder, ...names);
  const read = <S extends z.ZodType>(name: string, schema: S): z.output<S> =>
    schema.parse(JSON.parse(readFileSync(at(name), "utf8")));
  const built = read("prerender-manifest.json", prerendered);
  const { staticRoutes, dynamicRoutes } = read("routes-manifest.json", routes);
  const patterns = [...staticRoutes, ...dynamicRoutes].map(({ page, regex }) => ({ page, regex: new RegExp(regex) }));
  const known = new Map<string, readonly string[]>();

  const hashesOf = (page: string): readonly string[] => {
    const found = known.get(page);
    if (found) return found;
    const file = at("server", "app", `${page === "/" ? "index" : page.slice(1)}.html`);
    // A static route that is no page (a feed, a picture) has no document.
    const hashes = existsSync(file) ? hashesIn(readFileSync(file, "utf8")) : [];
    known.set(page, hashes);
    return hashes;
  };

  return {
    scriptsOf: (asked) => {
      const path = spelled(asked);
      if (path in built.routes) return hashesOf(path);
      const page = patterns.find(({ regex }) => regex.test(path))?.page;
      const isClosed = page !== undefined && built.dynamicRoutes[page]?.fallback === false;
      return page === undefined || isClosed ? hashesOf(NOT_FOUND) : null;
    },
    failureScripts: () => hashesOf(FAILURE),
  };
};

/** How a page is answered: with which policy, and whether it is the same for everybody. */
interface PagePolicy {
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
const inlineScripts = (
  path: string,
  everyPage: string,
  isForm: boolean,
): { isStatic: boolean; scripts: readonly string[] } => {
  pages ??= readBuiltPages(buildFolder());
  const hashes = pages.scriptsOf(path);
  if (hashes && !isForm) return { isStatic: true, scripts: hashes };
  const everywhere = `'sha256-${createHash("sha256").update(everyPage).digest("base64")}'`;
  const scripts = [`'nonce-${randomToken()}'`, ...new Set([everywhere, ...pages.failureScripts()])];
  return { isStatic: false, scripts };
};

/**
 * The policy for the page at a path (STACK 14, decisions 0011 and 0016): a static page names the hashes of its own
 * inline scripts; one that is rendered for each request gets a nonce, which Next reads from the policy it is handed. A
 * page that opens the checkout names the provider as well, one that shows pictures of videos allows those of any site.
 * @param everyPage the text of the inline script in the root layout, which Next gives no nonce
 * @param isForm whether a form was sent to the page, which is then rendered for this request
 */
export const policyOf = (path: string, everyPage: string, isForm = false): PagePolicy => {
  const sources = sourcesOf(path);
  const { isStatic, scripts } = isDevelopment()
    ? { isStatic: false, scripts: LOOSE.scripts }
    : inlineScripts(path, everyPage, isForm);
  const connections = [...sources.connections, ...(isDevelopment() ? LOOSE.connections : [])];
  return {
    policy: contentPolicy({ ...sources, scripts: [...scripts, ...sources.scripts], connections }),
    isStatic,
    headers: isCheckoutPage(path) ? checkoutHeaders(checkoutOrigin()) : {},
  };
};
