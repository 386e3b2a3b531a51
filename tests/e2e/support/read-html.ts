import type { Page } from "@playwright/test";

/** Facts about a page from its HTML, before any script runs, as search engines see it. */
export interface HtmlFacts {
  lang: string;
  title: string;
  /** `description`, `robots`, `og:image` …: content by name or property. */
  metas: Record<string, string>;
  canonical: string[];
  headings: number;
  jsonLd: string[];
  /** URLs of all links, as written. */
  links: string[];
  /** URLs of everything the page loads, as written. */
  files: string[];
  /** Valid fragments of the page. */
  anchors: string[];
}

/** Parses HTML in the browser without rendering it or running its scripts. */
export const readHtml = (page: Page, html: string): Promise<HtmlFacts> =>
  page.evaluate((text) => {
    const doc = new DOMParser().parseFromString(text, "text/html");
    const all = (selector: string) => [...doc.querySelectorAll(selector)];
    const attribute = (selector: string, name: string) => all(selector).map((one) => one.getAttribute(name) ?? "");
    const sets = [...attribute("[srcset]", "srcset"), ...attribute("[imagesrcset]", "imagesrcset")];
    return {
      lang: doc.documentElement.lang,
      title: doc.title,
      metas: Object.fromEntries(
        all("meta[content]").map((one) => [
          one.getAttribute("name") ?? one.getAttribute("property") ?? "",
          one.getAttribute("content") ?? "",
        ]),
      ),
      canonical: attribute("link[rel=canonical]", "href"),
      headings: all("h1").length,
      jsonLd: all("script[type='application/ld+json']").map((one) => one.textContent ?? ""),
      links: [...attribute("a[href]", "href"), ...attribute("area[href]", "href")],
      files: [
        ...attribute("img[src], script[src], source[src], video[src], iframe[src]", "src"),
        ...attribute("link[href]:not([rel=preconnect]):not([rel=dns-prefetch])", "href"),
        ...attribute("form[action]", "action"),
        ...sets.flatMap((set) => set.split(",").map((part) => part.trim().split(/\s+/)[0] ?? "")),
      ].filter((address) => address !== "" && !address.startsWith("data:")),
      anchors: [...attribute("[id]", "id"), ...attribute("a[name]", "name"), "top"],
    };
  }, html);
