/**
 * Makes the pictures of the public pages, by the product's own means; the files are committed.
 *   node_modules/.bin/node --conditions=react-server scripts/site-pictures.ts pins [name …]
 *     pins of site-pictures/pins.ts: drawn by the stand-in model, prepared as every pin is, made small for browsers
 *   node_modules/.bin/node --conditions=react-server scripts/site-pictures.ts screens http://localhost:3000
 *     screens of a running product with its stand-ins, light and dark
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toImagePrompt } from "#lib/integrations/ai/prompts.ts";
import { createPictures } from "#lib/integrations/images/client.ts";
import { shrinkForWeb } from "#lib/integrations/images/uploads.ts";
import { composePoster } from "#sandbox/openai/posters/compose.ts";
import { drawPoster } from "#sandbox/openai/posters/draw.ts";
import { inRepository } from "./root.ts";
import { SITE_PINS, type SitePin } from "./site-pictures/pins.ts";
import { takeScreens } from "./site-pictures/screens.ts";

const CANVAS = { widthPx: 1080, heightPx: 1680 } as const;
const MODEL_SIZE = { widthPx: 1024, heightPx: 1536 } as const;

const [what, ...rest] = process.argv.slice(2);
if (what === "pins") await makePins(rest);
else if (what === "screens" && rest[0]) await makeScreens(rest[0]);
else {
  console.error("Usage: scripts/site-pictures.ts pins [name …] | screens URL");
  process.exit(1);
}

/** A finished pin as a user would get it: drawn at the model's size, then cut, compressed and marked. */
async function makePin({ keyword, variant }: SitePin): Promise<Uint8Array> {
  const prompt = toImagePrompt(keyword);
  const drawn = await drawPoster(composePoster({ prompt, variant, ...MODEL_SIZE, format: "jpeg", quality: 95 }));
  const prepared = await createPictures().preparePin(drawn, CANVAS);
  if (!prepared) throw new Error(`The picture for "${keyword}" could not be prepared.`);
  return prepared.jpeg;
}

async function makePins(names: readonly string[]): Promise<void> {
  for (const pin of SITE_PINS.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const jpeg = await makePin(pin);
    await keep("pins", `${pin.name}-240.avif`, await shrinkForWeb(jpeg, 240, "avif"));
    await keep("pins", `${pin.name}-480.avif`, await shrinkForWeb(jpeg, 480, "avif"));
    await keep("pins", `${pin.name}-480.webp`, await shrinkForWeb(jpeg, 480, "webp"));
  }
}

async function makeScreens(baseUrl: string): Promise<void> {
  for (const { name, png } of await takeScreens(baseUrl)) {
    await keep("screens", `${name}-720.avif`, await shrinkForWeb(png, 720, "avif"));
    await keep("screens", `${name}-1440.avif`, await shrinkForWeb(png, 1440, "avif"));
    await keep("screens", `${name}-1440.webp`, await shrinkForWeb(png, 1440, "webp"));
  }
}

async function keep(folder: string, file: string, bytes: Uint8Array): Promise<void> {
  await mkdir(inRepository("public", folder), { recursive: true });
  await writeFile(join(inRepository("public", folder), file), bytes);
  console.log(`public/${folder}/${file}: ${(bytes.byteLength / 1000).toFixed(1)} kB`);
}
