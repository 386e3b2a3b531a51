/**
 * `node scripts/cut-fonts.ts`: cuts the faces of the site out of the font packages, and writes `public/fonts`,
 * `app/styles/faces.css` and `components/fonts/files.ts`. To be run again when a package, a cut or the letters below change.
 * The tool that cuts is fetched from npm into a folder of its own: nothing else in the product needs it.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { CUTS, type Cut, type Family, faceRules, LICENCES, metricsOf } from "./font-cuts.ts";
import { inRepository } from "./root.ts";

const SUBSET_FONT = "subset-font@2.9.0";

type Axes = Record<string, number | { min: number; max: number; default: number }>;
type Subset = (
  font: Buffer,
  text: string,
  options: { targetFormat: "woff2" | "sfnt"; variationAxes?: Axes },
) => Promise<Buffer>;

const loadSubset = async (folder: string): Promise<Subset> => {
  execFileSync("npm", ["install", "--no-save", "--prefix", folder, SUBSET_FONT], { stdio: "inherit" });
  const loaded: { default: Subset } = await import(
    pathToFileURL(join(folder, "node_modules", "subset-font", "index.js")).href
  );
  return loaded.default;
};

const sourceOf = (family: Family, file: string): Buffer =>
  readFileSync(inRepository("node_modules", "@fontsource-variable", family, "files", `${file}.woff2`));

const target = (name: string): string => inRepository("public", "fonts", name);

const folder = mkdtempSync(join(tmpdir(), "cut-fonts-"));
const subset = await loadSubset(folder);
rmSync(inRepository("public", "fonts"), { recursive: true, force: true });
mkdirSync(inRepository("public", "fonts"), { recursive: true });

const cutOne = async (cut: Cut) => {
  const options = { variationAxes: cut.axes };
  const source = sourceOf(cut.family, cut.source);
  const font = await subset(source, cut.letters, { targetFormat: "woff2", ...options });
  const plain = await subset(source, cut.letters, { targetFormat: "sfnt", ...options });
  const hash = createHash("sha256").update(font).digest("hex").slice(0, 8);
  const file = `${cut.name}-${hash}.woff2`;
  writeFileSync(target(file), font);
  console.log(`${file.padEnd(48)} ${font.byteLength}`);
  return {
    cut,
    path: `/fonts/${file}`,
    metrics: cut.face.measuredAt ? metricsOf(plain, cut.name, cut.face.measuredAt) : null,
  };
};

const made = [];
for (const cut of CUTS) made.push(await cutOne(cut));
for (const [family, name] of Object.entries(LICENCES))
  copyFileSync(inRepository("node_modules", "@fontsource-variable", family, "LICENSE"), target(name));

writeFileSync(inRepository("app", "styles", "faces.css"), faceRules(made));
const paths = made.filter(({ cut }) => cut.isFirst).map(({ cut, path }) => `  "${cut.name}": "${path}",\n`);
writeFileSync(
  inRepository("components", "fonts", "files.ts"),
  `/** The faces that a first paint may need, by name. Made by scripts/cut-fonts.ts. */\nexport const FONT_FILES = {\n${paths.join("")}} as const;\n`,
);
execFileSync("npx", ["biome", "format", "--write", "app/styles/faces.css", "components/fonts/files.ts"], {
  cwd: inRepository(),
  stdio: "inherit",
});
rmSync(folder, { recursive: true, force: true });
