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
  isSitePage,
  type PolicySources,
} from "#lib/core/security-headers.ts";
import { ANY_IMAGES, isVideoPage } from "#lib/core/video-pages.ts";
import { buildFolder, env, isDevelopment, pageEnv } from "#lib/env.ts";

const prerendered = z.object({
  routes: z.record(z.string(), z.unknown()),
  dynamicRoutes: z.record(z.string(), z.object({ fallback: z.union([z.string(), z.null(), z.literal(false)]) })),
});
const pattern = z.object({ page: z.string(), regex: z.string() });
const routes = z.object({ staticRoutes: z.array(pattern), dynamicRoutes: z.array(pattern) });

interface BuiltPages {
  /** `'sha256-…'` of each inline script of a static page (or the not-found page); null for dynamic pages. */
  scriptsOf(path: string): readonly string[] | null;
  failureScripts(): readonly string[];
}

const NOT_FOUND = "/_not-found";
const FAILURE = "/_global-error";
/** Data blocks have other types. */
const SCRIPT_TYPES = /^(?:|module|text\/javascript)$/;

/** Next escapes `>` in attributes. */
export const hashesIn = (html: string): string[] => {
  const inline = [...html.matchAll(/<script((?:\s[^>]*)?)>([\s\S]*?)<\/script>/g)].filter(([, attributes = ""]) => {
    const type = /\stype="([^"]*)"/.exec(attributes)?.[1] ?? "";
    return !/\ssrc=/.test(attributes) && SCRIPT_TYPES.test(type);
  });
  const hashes = inline.map(([, , text = ""]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
  return [...new Set(hashes)];
};

/** Like the manifests: decoded except for encoded slashes, without a trailing slash. */
const normalizePath = (path: string): string => decodeURI(path).replace(/\/+$/, "") || "/";

const readBuiltPages = (folder: string): BuiltPages => {
  // The folder is known only at run time, so the bundler must not trace it.
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
    // Static routes that are not pages, such as feeds and images, have no document.
    const hashes = existsSync(file) ? hashesIn(readFileSync(file, "utf8")) : [];
    known.set(page, hashes);
    return hashes;
  };

  return {
    scriptsOf: (requestPath) => {
      const path = normalizePath(requestPath);
      if (path in built.routes) return hashesOf(path);
      const page = patterns.find(({ regex }) => regex.test(path))?.page;
      const isClosed = page !== undefined && built.dynamicRoutes[page]?.fallback === false;
      return page === undefined || isClosed ? hashesOf(NOT_FOUND) : null;
    },
    failureScripts: () => hashesOf(FAILURE),
  };
};

interface PagePolicy {
  policy: string;
  isStatic: boolean;
  headers: Record<string, string>;
}

/** Next's development mode evaluates code, adds inline scripts and opens a web socket. */
const DEVELOPMENT_SOURCES = { scripts: ["'unsafe-inline'", "'unsafe-eval'"], connections: ["ws:"] };

let pages: BuiltPages | undefined;

const checkoutOrigin = (): CheckoutOrigin => ({
  environment: env().PADDLE_ENVIRONMENT,
  scriptUrl: env().PADDLE_JS_URL ?? null,
});

const sourcesOf = (path: string): Required<PolicySources> => {
  const pixel = pageEnv().AD_PIXEL_ID ? [AD_PIXEL_ORIGIN] : [];
  if (!isCheckoutPage(path)) {
    const images = isVideoPage(path) || isSitePage(path) ? [...pixel, ...ANY_IMAGES] : pixel;
    return { scripts: [], images, connections: [], styles: [], frames: [] };
  }
  const checkout = checkoutSources(checkoutOrigin());
  return { ...checkout, images: [...pixel, ...checkout.images] };
};

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
 * Static pages list hashes, dynamic ones get a nonce (decisions 0011, 0016). `everyPage`: the root layout's inline
 * script, which gets no nonce from Next; `isForm`: a posted form makes the page dynamic.
 */
export const policyOf = (path: string, everyPage: string, isForm = false): PagePolicy => {
  const sources = sourcesOf(path);
  const { isStatic, scripts } = isDevelopment()
    ? { isStatic: false, scripts: DEVELOPMENT_SOURCES.scripts }
    : inlineScripts(path, everyPage, isForm);
  const connections = [...sources.connections, ...(isDevelopment() ? DEVELOPMENT_SOURCES.connections : [])];
  return {
    policy: contentPolicy({ ...sources, scripts: [...scripts, ...sources.scripts], connections }),
    isStatic,
    headers: isCheckoutPage(path) ? checkoutHeaders(checkoutOrigin()) : {},
  };
};
