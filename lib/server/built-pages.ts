import "server-only";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const prerendered = z.object({
  routes: z.record(z.string(), z.unknown()),
  dynamicRoutes: z.record(z.string(), z.object({ fallback: z.union([z.string(), z.null(), z.literal(false)]) })),
});
const pattern = z.object({ page: z.string(), regex: z.string() });
const routes = z.object({ staticRoutes: z.array(pattern), dynamicRoutes: z.array(pattern) });

/** What Next built, as far as a policy for scripts must know it. */
export interface BuiltPages {
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
export const readBuiltPages = (folder: string): BuiltPages => {
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
