/**
 * Takes the screenshots that the public pages show, in light and dark. The files are committed.
 * node_modules/.bin/node --conditions=react-server scripts/site-images.ts http://localhost:3000
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { shrinkForWeb } from "#lib/integrations/images/uploads.ts";
import { inRepository } from "./root.ts";
import { takeScreenshots } from "./site-screenshots.ts";

const [baseUrl] = process.argv.slice(2);
if (!baseUrl) {
  console.error("Usage: scripts/site-images.ts URL");
  process.exit(1);
}
await saveScreens(baseUrl);

async function saveScreens(baseUrl: string): Promise<void> {
  for (const { name, png } of await takeScreenshots(baseUrl)) {
    await save("screens", `${name}-720.avif`, await shrinkForWeb(png, 720, "avif"));
    await save("screens", `${name}-1440.avif`, await shrinkForWeb(png, 1440, "avif"));
    await save("screens", `${name}-1440.webp`, await shrinkForWeb(png, 1440, "webp"));
  }
}

async function save(folder: string, file: string, bytes: Uint8Array): Promise<void> {
  await mkdir(inRepository("public", folder), { recursive: true });
  await writeFile(join(inRepository("public", folder), file), bytes);
  console.log(`public/${folder}/${file}: ${(bytes.byteLength / 1000).toFixed(1)} KB`);
}
