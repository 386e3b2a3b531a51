import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { inRepository } from "./root.ts";
import { untar } from "./untar.ts";

const decompress = promisify(brotliDecompress);
const packageFolder = inRepository("node_modules", "@sparticuz", "chromium");
const cacheFolder = inRepository(".cache", "chromium");

const launchArgs = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** What Playwright's `chromium.launch()` needs. */
type ChromiumLaunchOptions = { executablePath: string; args: string[]; env: Record<string, string> };

/**
 * Launch options for the project's own browser, unpacked from npm on first use (about 2 s, 211 MB, in `.cache/`).
 * `CHROMIUM_PATH` selects another Chromium instead (required on arm64 and outside Linux).
 */
export async function chromiumLaunchOptions(): Promise<ChromiumLaunchOptions> {
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen) {
    if (!existsSync(chosen)) throw new Error(`CHROMIUM_PATH names a file that does not exist: ${chosen}`);
    return { executablePath: chosen, args: launchArgs, env: currentEnvironment() };
  }
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error("The bundled browser is for Linux x64. Set CHROMIUM_PATH to a Chromium or Chrome on this machine.");
  }
  const folder = await unpackOnce();
  return {
    executablePath: join(folder, "chromium"),
    args: launchArgs,
    env: {
      ...currentEnvironment(),
      LD_LIBRARY_PATH: [join(folder, "lib"), process.env.LD_LIBRARY_PATH].filter(Boolean).join(":"),
      FONTCONFIG_PATH: folder,
    },
  };
}

/** Unpacks into a temporary folder and renames it, so that concurrent processes all get a complete one. */
async function unpackOnce(): Promise<string> {
  const version = await packageVersion();
  const target = join(cacheFolder, version);
  if (existsSync(target)) return target;
  await mkdir(cacheFolder, { recursive: true });
  const partial = await mkdtemp(join(cacheFolder, "partial-"));
  try {
    const bin = join(packageFolder, "bin");
    await writeFile(join(partial, "chromium"), await unbrotli(join(bin, "chromium.br")), { mode: 0o755 });
    for (const archive of ["al2023", "swiftshader", "fonts"]) {
      await untar(await unbrotli(join(bin, `${archive}.tar.br`)), partial);
    }
    await writeFile(join(partial, "fonts.conf"), fontConfiguration(join(target, "fonts")));
    await chmod(partial, 0o755);
    await promoteFolder(partial, target);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return target;
}

async function promoteFolder(partial: string, target: string): Promise<void> {
  try {
    await rename(partial, target);
  } catch (error) {
    // Another process finished first; use its folder.
    if (!existsSync(join(target, "chromium"))) throw error;
  }
}

async function unbrotli(path: string): Promise<Buffer> {
  return decompress(await readFile(path));
}

async function packageVersion(): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8"));
  if (manifest !== null && typeof manifest === "object" && "version" in manifest) return String(manifest.version);
  throw new Error("The browser package has no version; run npm ci.");
}

function fontConfiguration(bundledFonts: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${bundledFonts}</dir>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;
}

function currentEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}
