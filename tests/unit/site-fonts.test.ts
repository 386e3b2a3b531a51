import { readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FONT_FILES } from "#components/fonts/files.ts";
import { charactersOf } from "#lib/integrations/images/fonts.ts";
import { CORE, FONT_SUBSETS, LICENSES } from "#scripts/font-subsets.ts";
import { inRepository } from "#scripts/root.ts";

const kB = 1_000;
const fontFile = (path: string): string => inRepository("public", ...path.split("/").slice(1));
const rules = readFileSync(inRepository("app", "styles", "faces.css"), "utf8");
const named = [...rules.matchAll(/url\("([^"]+)"\)/g)].map(([, path = ""]) => path);
const bytesOf = (...names: (keyof typeof FONT_FILES)[]): number =>
  names.reduce((sum, name) => sum + statSync(fontFile(FONT_FILES[name])).size, 0);

/** Keys and arrows come from system fonts; the è of 'Succès!' only appears in a notice. */
const SYSTEM_CHARACTERS = "⌘⌥→↑↓è";

/** The source of all pages, without comments. */
const siteTexts = (): string => {
  const files = ["app", "components", "content"].flatMap((folder) =>
    readdirSync(inRepository(folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  );
  const ours = files.filter((file) => /\.(tsx?|md)$/.test(file) && !file.startsWith("components/showcase/"));
  const texts = ours.map((file) => readFileSync(inRepository(file), "utf8"));
  return texts.join("").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
};

describe("site fonts", () => {
  test("public/fonts contains exactly the files of the rules and the licenses", () => {
    const files = named.map((path) => path.replace("/fonts/", ""));
    expect(readdirSync(inRepository("public", "fonts")).sort()).toEqual([...files, ...Object.values(LICENSES)].sort());
    expect(files.map((file) => file.replace(/-[0-9a-f]{8}\.woff2$/, ""))).toEqual(FONT_SUBSETS.map(({ name }) => name));
    for (const path of Object.values(FONT_FILES)) expect(named).toContain(path);
  });

  test("the fonts of the first paint stay small", () => {
    expect(bytesOf("hanken-grotesk", "newsreader-display", "newsreader-display-italic")).toBeLessThan(46 * kB);
    expect(bytesOf("hanken-grotesk", "newsreader-display")).toBeLessThan(30 * kB);
    expect(bytesOf("hanken-grotesk", "newsreader-title")).toBeLessThan(30 * kB);
    expect(bytesOf("newsreader-text")).toBeLessThan(24 * kB);
  });

  test.each(FONT_SUBSETS.filter(({ isFirst }) => isFirst).map(({ name }) => name))(
    "%s has every character of the core set",
    (name) => {
      const path = named.find((one) => one.startsWith(`/fonts/${name}-`) && /-[0-9a-f]{8}\.woff2$/.test(one));
      const letters = charactersOf(readFileSync(fontFile(path ?? "")));
      expect([...CORE].filter((letter) => !letters.has(letter))).toEqual([]);
    },
  );

  test("the site's texts only use characters of the core set", () => {
    const beyond = [...new Set(siteTexts())].filter(
      (letter) => letter >= " " && !`${CORE}${SYSTEM_CHARACTERS}`.includes(letter),
    );
    expect(beyond).toEqual([]);
  });

  test("characters of other languages are in separate fonts that load on demand", () => {
    for (const letter of "éßøŁčž") {
      const point = letter.codePointAt(0) ?? 0;
      const families = FONT_SUBSETS.filter(({ letters }) => letters.includes(letter)).map(({ face }) => face.family);
      expect(new Set(families), `U+${point.toString(16)}`).toEqual(new Set(["Newsreader Rest", "Hanken Grotesk Rest"]));
    }
    const rest = rules.split("@font-face").filter((rule) => /font-family: "[^"]+ Rest"/.test(rule));
    expect(rest).toHaveLength(FONT_SUBSETS.filter(({ isFirst }) => !isFirst).length);
    for (const rule of rest) expect(rule).toMatch(/unicode-range:\s+U\+/);
  });
});
