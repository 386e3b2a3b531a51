import { globSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Beasties from "beasties";
import { z } from "zod";

const emptyMap = z.object({ sources: z.tuple([]), sections: z.tuple([]).optional() });

/**
 * Takes away the source maps without a source that the builder leaves beside a worker's entry, though maps are off.
 * One that holds sources is left, for the test of what browsers download to find.
 * @param distDir the build's folder
 * @returns the paths of what was removed
 */
export const removeEmptyMaps = (distDir: string): string[] => {
  const maps = globSync("static/**/*.map", { cwd: distDir }).map((name) => join(distDir, name));
  const empty = maps.filter((path) => emptyMap.safeParse(JSON.parse(readFileSync(path, "utf8"))).success);
  for (const path of empty) rmSync(path);
  return empty;
};

const SHEET = /<link rel="stylesheet" href="(?:[^"]*)\/_next\/([^"?]+\.css)(?:\?[^"]*)?"[^>]*>/g;
const MARK = "data-first-paint";

/** A style sheet as it stands in a document: the element, and its text. */
interface Sheet {
  element: string;
  text: string;
}

// What our inline script puts on the root before the first paint: the built document has none of it yet.
const EARLY = /\.dark|\.light|data-session/;

/** Classes as a sheet names them: React escapes `&` and `>` in attributes, and the picker does not decode them. */
const withPlainClasses = (html: string): string =>
  html.replace(/ class="[^"]*"/g, (attribute) =>
    attribute.replaceAll("&gt;", ">").replaceAll("&#x27;", "'").replaceAll("&amp;", "&"),
  );

/** The rules of a sheet that this document has something for; its layers keep their order. */
async function rulesFor(html: string, text: string): Promise<string> {
  const picker = new Beasties({ fonts: false, allowRules: [EARLY], logLevel: "silent" });
  const result = await picker.process(
    withPlainClasses(html).replace("</head>", () => `<style ${MARK}>${text}</style></head>`),
  );
  // `<` stands in the syntax of registered properties, never before a slash.
  return result.match(new RegExp(`<style ${MARK}[^>]*>(.*?)</style>`, "s"))?.[1] ?? "";
}

// Faces are named by variables, so that nobody can tell which are used; one that is not is not fetched either.
const facesOf = (text: string): string => (text.match(/@font-face\{[^}]*\}/g) ?? []).join("");

/** The statement that orders a sheet's layers; without it the first rule that is met would decide. */
const layersOf = (text: string): string => {
  const names = [...text.matchAll(/@layer ([\w.,\s-]+)[{;]/g)].flatMap(([, list = ""]) => list.split(","));
  const unique = [...new Set(names.map((name) => name.trim()))];
  return unique.length === 0 ? "" : `@layer ${unique.join(",")};`;
};

/**
 * A document that paints with what came in one answer (QUALITY §2, first paint): the rules it uses stand in its head,
 * and the sheets, which have the states that nobody is in yet, follow its content. Nothing else changes by a byte.
 * @param read the text of a sheet by its path below `/_next/`
 * @throws Error when a sheet cannot be read, or the document has no head or body to put things in
 */
export async function inlineStyles(html: string, read: (path: string) => string): Promise<string> {
  const sheets = [...html.matchAll(SHEET)].map(([element, path = ""]): Sheet => ({ element, text: read(path) }));
  if (sheets.length === 0 || html.includes(`<style ${MARK}`)) return html;
  const end = html.lastIndexOf("</body>");
  if (end < 0 || !html.includes("</head>")) throw new Error("A document without a head or a body has style sheets");
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
 * Rewrites every document of a build that is the same for everybody. Made anew for a request, a page keeps its sheets
 * where they are: they are in the cache by then.
 * @returns how many documents were rewritten
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
