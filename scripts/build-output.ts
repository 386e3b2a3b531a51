import { globSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Beasties from "beasties";
import { z } from "zod";

const emptyMap = z.object({ sources: z.tuple([]), sections: z.tuple([]).optional() });

/**
 * Deletes the empty source maps that the builder leaves next to a worker's entry although maps are off. Maps with
 * sources are kept so that a test can report them.
 * @param distDir the build's folder
 * @returns the deleted paths
 */
export const removeEmptyMaps = (distDir: string): string[] => {
  const maps = globSync("static/**/*.map", { cwd: distDir }).map((name) => join(distDir, name));
  const empty = maps.filter((path) => emptyMap.safeParse(JSON.parse(readFileSync(path, "utf8"))).success);
  for (const path of empty) rmSync(path);
  return empty;
};

const STYLESHEET = /<link rel="stylesheet" href="(?:[^"]*)\/_next\/([^"?]+\.css)(?:\?[^"]*)?"[^>]*>/g;
const MARK = "data-first-paint";

/** A style sheet in a document: its link element and its text. */
interface Stylesheet {
  element: string;
  text: string;
}

// Set by our inline script; absent in the built document.
const EARLY = /\.dark|\.light|data-session/;

/** Decodes class names: React escapes `&` and `>` in attributes, and Beasties does not decode them. */
const withPlainClasses = (html: string): string =>
  html.replace(/ class="[^"]*"/g, (attribute) =>
    attribute.replaceAll("&gt;", ">").replaceAll("&#x27;", "'").replaceAll("&amp;", "&"),
  );

/** The rules of a sheet that apply to this document; its layers keep their order. */
async function rulesFor(html: string, text: string): Promise<string> {
  const picker = new Beasties({ fonts: false, allowRules: [EARLY], logLevel: "silent" });
  const result = await picker.process(
    withPlainClasses(html).replace("</head>", () => `<style ${MARK}>${text}</style></head>`),
  );
  // `<` occurs in the syntax of registered properties, but never before a slash.
  return result.match(new RegExp(`<style ${MARK}[^>]*>(.*?)</style>`, "s"))?.[1] ?? "";
}

// Font families are named by variables, so unused faces can't be detected; browsers don't fetch those.
const facesOf = (text: string): string => (text.match(/@font-face\{[^}]*\}/g) ?? []).join("");

/** The statement that orders a sheet's layers; without it the first rule in the document would decide. */
const layersOf = (text: string): string => {
  const names = [...text.matchAll(/@layer ([\w.,\s-]+)[{;]/g)].flatMap(([, list = ""]) => list.split(","));
  const unique = [...new Set(names.map((name) => name.trim()))];
  return unique.length === 0 ? "" : `@layer ${unique.join(",")};`;
};

/**
 * Makes a document paint from a single response: inlines the rules it uses in its head, and moves the links to the full
 * style sheets to the end of the body. Changes nothing else.
 * @param read the text of a sheet by its path below `/_next/`
 * @throws Error if a sheet can't be read, or the document has no head or body
 */
export async function inlineStyles(html: string, read: (path: string) => string): Promise<string> {
  const sheets = [...html.matchAll(STYLESHEET)].map(
    ([element, path = ""]): Stylesheet => ({ element, text: read(path) }),
  );
  if (sheets.length === 0 || html.includes(`<style ${MARK}`)) return html;
  const end = html.lastIndexOf("</body>");
  if (end < 0 || !html.includes("</head>")) throw new Error("A document with style sheets has no head or body");
  const bare = sheets.reduce((text, { element }) => text.replace(element, ""), html);
  const rules = await Promise.all(
    sheets.map(async ({ text }) => layersOf(text) + facesOf(text) + (await rulesFor(bare, text))),
  );
  const first = html.indexOf(sheets[0]?.element ?? "");
  const style = `<style ${MARK}>${rules.join("")}</style>`;
  const links = sheets.map(({ element }) => element).join("");
  const tail = bare.lastIndexOf("</body>");
  return bare.slice(0, first) + style + bare.slice(first, tail) + links + bare.slice(tail);
}

/**
 * Inlines styles in every prerendered document of a build. Pages rendered per request keep their links: by then the
 * sheets are cached.
 * @returns the number of changed documents
 */
export async function inlineBuiltStyles(distDir: string): Promise<number> {
  const sheets = new Map<string, string>();
  const read = (path: string): string => {
    const known = sheets.get(path) ?? readFileSync(join(distDir, path), "utf8");
    sheets.set(path, known);
    return known;
  };
  let count = 0;
  const files = readdirSync(join(distDir, "server"), { recursive: true, encoding: "utf8" });
  for (const name of files.filter((file) => file.endsWith(".html"))) {
    const file = join(distDir, "server", name);
    const before = readFileSync(file, "utf8");
    const after = await inlineStyles(before, read);
    if (after === before) continue;
    writeFileSync(file, after);
    count += 1;
  }
  return count;
}
