import { readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FONT_FILES } from "#components/fonts/files.ts";
import { lettersOf } from "#lib/integrations/images/fonts.ts";
import { CORE, CUTS, LICENCES } from "#scripts/font-cuts.ts";
import { inRepository } from "#scripts/root.ts";

const kB = 1_000;
const fontFile = (path: string): string => inRepository("public", ...path.split("/").slice(1));
const rules = readFileSync(inRepository("app", "styles", "faces.css"), "utf8");
const named = [...rules.matchAll(/url\("([^"]+)"\)/g)].map(([, path = ""]) => path);
const bytesOf = (...names: (keyof typeof FONT_FILES)[]): number =>
  names.reduce((sum, name) => sum + statSync(fontFile(FONT_FILES[name])).size, 0);

/** Keys and arrows, which a system's own face shows as well; 'Succès!' waits for a notice (R-NOTE-01). */
const ELSEWHERE = "⌘⌥→↑↓è";

/** What the pages are written with, without comments, which nobody sees. */
const siteTexts = (): string => {
  const files = ["app", "components", "content"].flatMap((folder) =>
    readdirSync(inRepository(folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  );
  const ours = files.filter((file) => /\.(tsx?|md)$/.test(file) && !file.startsWith("components/showcase/"));
  const texts = ours.map((file) => readFileSync(inRepository(file), "utf8"));
  return texts.join("").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
};

describe("the faces of the site", () => {
  test("each file that a rule names is there, under a cut's name, and no other file but the licences", () => {
    const files = named.map((path) => path.replace("/fonts/", ""));
    expect(readdirSync(inRepository("public", "fonts")).sort()).toEqual([...files, ...Object.values(LICENCES)].sort());
    expect(files.map((file) => file.replace(/-[0-9a-f]{8}\.woff2$/, ""))).toEqual(CUTS.map(({ name }) => name));
    for (const path of Object.values(FONT_FILES)) expect(named).toContain(path);
  });

  test("what a first paint waits for stays small", () => {
    expect(bytesOf("hanken-grotesk", "newsreader-display", "newsreader-display-italic")).toBeLessThan(46 * kB);
    expect(bytesOf("hanken-grotesk", "newsreader-display")).toBeLessThan(30 * kB);
    expect(bytesOf("hanken-grotesk", "newsreader-title")).toBeLessThan(30 * kB);
    expect(bytesOf("newsreader-text")).toBeLessThan(24 * kB);
  });

  test.each(CUTS.filter(({ isFirst }) => isFirst).map(({ name }) => name))(
    "%s has every letter that the site is written with",
    (name) => {
      const path = named.find((one) => one.startsWith(`/fonts/${name}-`) && /-[0-9a-f]{8}\.woff2$/.test(one));
      const letters = lettersOf(readFileSync(fontFile(path ?? "")));
      expect([...CORE].filter((letter) => !letters.has(letter))).toEqual([]);
    },
  );

  test("the site's own texts need no face beyond those", () => {
    const beyond = [...new Set(siteTexts())].filter(
      (letter) => letter >= " " && !`${CORE}${ELSEWHERE}`.includes(letter),
    );
    expect(beyond).toEqual([]);
  });

  test("letters of other languages have a face of their own, which names them and so loads only for them", () => {
    for (const letter of "éßøŁčž") {
      const point = letter.codePointAt(0) ?? 0;
      const families = CUTS.filter(({ letters }) => letters.includes(letter)).map(({ face }) => face.family);
      expect(new Set(families), `U+${point.toString(16)}`).toEqual(new Set(["Newsreader Rest", "Hanken Grotesk Rest"]));
    }
    const rest = rules.split("@font-face").filter((rule) => /font-family: "[^"]+ Rest"/.test(rule));
    expect(rest).toHaveLength(CUTS.filter(({ isFirst }) => !isFirst).length);
    for (const rule of rest) expect(rule).toMatch(/unicode-range:\s+U\+/);
  });
});
