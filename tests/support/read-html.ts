import { DomUtils, parseDocument } from "htmlparser2";

/** Facts about a page from its HTML, before any script runs, as search engines see it. */
export interface HtmlFacts {
  lang: string;
  title: string;
  /** `description`, `robots`, `og:image` …: content by name or property. */
  metas: Record<string, string>;
  canonical: string[];
  /** Texts of the `h1` elements, and below those of the `h2`. */
  headings: string[];
  subheadings: string[];
  jsonLd: string[];
  /** URLs of all links, as written. */
  links: string[];
  /** URLs of everything the page loads, as written. */
  files: string[];
  /** Valid fragments of the page. */
  anchors: string[];
}

const RESOURCES = new Set(["img", "script", "source", "video", "iframe"]);

/** Links in the head that only open a connection. */
const CONNECTS = new Set(["preconnect", "dns-prefetch"]);

const urlsOfSet = (set: string): string[] => set.split(",").map((part) => part.trim().split(/\s+/)[0] ?? "");

/** URLs that an element loads or sends to. */
const filesOf = (name: string, attributes: Record<string, string>): string[] => [
  ...(RESOURCES.has(name) ? [attributes.src ?? ""] : []),
  ...(name === "link" && !CONNECTS.has(attributes.rel ?? "") ? [attributes.href ?? ""] : []),
  ...(name === "form" ? [attributes.action ?? ""] : []),
  ...urlsOfSet(attributes.srcset ?? ""),
  ...urlsOfSet(attributes.imagesrcset ?? ""),
];

/** Parses HTML without running its scripts. */
export const readHtml = (html: string): HtmlFacts => {
  const elements = DomUtils.getElementsByTagName("*", parseDocument(html));
  const named = (...names: string[]) => elements.filter(({ name }) => names.includes(name));
  const textsOf = (all: typeof elements) => all.map((one) => DomUtils.textContent(one));
  const valuesOf = (all: typeof elements, attribute: string) => all.flatMap(({ attribs }) => attribs[attribute] ?? []);
  const metas = named("meta").map(({ attribs }) => [attribs.name ?? attribs.property ?? "", attribs.content ?? ""]);
  return {
    lang: named("html")[0]?.attribs.lang ?? "",
    // Drawings have titles as well; the page's comes first.
    title: textsOf(named("title"))[0] ?? "",
    metas: Object.fromEntries(metas),
    canonical: valuesOf(
      named("link").filter(({ attribs }) => attribs.rel === "canonical"),
      "href",
    ),
    headings: textsOf(named("h1")),
    subheadings: textsOf(named("h2")),
    jsonLd: textsOf(named("script").filter(({ attribs }) => attribs.type === "application/ld+json")),
    links: valuesOf(named("a", "area"), "href"),
    files: elements
      .flatMap(({ name, attribs }) => filesOf(name, attribs))
      .filter((address) => address !== "" && !address.startsWith("data:")),
    anchors: [...valuesOf(elements, "id"), ...valuesOf(named("a"), "name"), "top"],
  };
};
