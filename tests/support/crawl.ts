import { type HtmlFacts, readHtml } from "./read-html.ts";

/** The response of a requested URL. */
interface Visit {
  status: number;
  /** Null when the response is not HTML. */
  facts: HtmlFacts | null;
}

const OUTSIDE = /^(mailto:[^\s@]+@[^\s@]+(\?\S*)?|tel:\+?\d{5,}|https?:\/\/[^\s/]+\S*)$/;

/** Requests a path of the site; redirects are followed. */
export type Get = (path: string) => Promise<{ status: number; type: string; text: string }>;

/** A static page contains the origin it was built for; the app under test runs on another port. */
const isLoopback = (url: URL): boolean => ["localhost", "127.0.0.1"].includes(url.hostname);

/** Follows the links of a site, requesting each URL once. */
export class Crawler {
  /** All requested paths, with their queries. */
  readonly visits = new Map<string, Visit>();
  /** Broken links as `page → problem`. */
  readonly broken: string[] = [];
  readonly #get: Get;
  readonly #origin: string;
  /** Origins of the site: where it runs, and what it was built for. */
  readonly #own: Set<string>;

  constructor(get: Get, baseUrl: string, builtFor: string) {
    this.#get = get;
    this.#origin = new URL(baseUrl).origin;
    this.#own = new Set([this.#origin, new URL(builtFor).origin]);
  }

  /** Requests a URL of the site once, following redirects. */
  async visit(path: string): Promise<Visit> {
    const known = this.visits.get(path);
    if (known) return known;
    const { status, type, text } = await this.#get(path);
    const visit = { status, facts: /text\/html/.test(type) ? readHtml(text) : null };
    this.visits.set(path, visit);
    return visit;
  }

  /**
   * Checks the links, anchors and files of a page. Only the syntax of URLs of other sites is checked.
   * @returns the paths of the site that the page links to
   */
  async check(from: string, { links, files }: Pick<HtmlFacts, "links" | "files">): Promise<string[]> {
    const inside: string[] = [];
    for (const address of new Set(links)) {
      // Leads to Google; e2e/google.spec.ts follows it.
      if (address.startsWith("/api/auth/google/")) continue;
      const target = this.#toPath(address, from);
      if (!target) {
        if (!OUTSIDE.test(address)) this.broken.push(`${from} → ${address} is no address`);
        continue;
      }
      inside.push(target.path);
      await this.#checkLink(from, target);
    }
    for (const address of new Set(files)) {
      const target = this.#toPath(address, from);
      if (!target) this.broken.push(`${from} → ${address} is loaded from another site`);
      else if ((await this.visit(target.path)).status !== 200) this.broken.push(`${from} → ${address} does not answer`);
    }
    return inside;
  }

  async #checkLink(from: string, { path, anchor }: { path: string; anchor: string }): Promise<void> {
    const { status, facts } = await this.visit(path);
    // In-page links, such as "Skip to content", also work on the 404 page.
    if (status !== 200 && path !== from) this.broken.push(`${from} → ${path} answers ${status}`);
    else if (anchor !== "" && !facts?.anchors.includes(anchor)) this.broken.push(`${from} → ${path} has no #${anchor}`);
  }

  #toPath(address: string, from: string): { path: string; anchor: string } | null {
    if (!URL.canParse(address, this.#origin + from)) return null;
    const url = new URL(address, this.#origin + from);
    if (!this.#own.has(url.origin) || !isLoopback(url)) return null;
    return { path: url.pathname + url.search, anchor: decodeURIComponent(url.hash.slice(1)) };
  }
}
