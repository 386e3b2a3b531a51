import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pageSettingNames, settingNames } from "#lib/env-schema.ts";
import { inlineBuiltStyles, removeEmptyMaps } from "./build-output.ts";
import { isLoopback, type Variables } from "./compose.ts";
import { asProcessEnv, identityOf, isCode, lastLines, nodeBinary, openLog, tieToLife } from "./processes.ts";
import { inRepository, repositoryRoot } from "./root.ts";

/** What ends up in a build. Tests, scripts and stand-ins do not. */
const sources = [
  "app",
  "components",
  "content",
  "lib",
  "db",
  "inngest",
  "public",
  "proxy.ts",
  "instrumentation.ts",
  "instrumentation-client.ts",
];
const configuration = [
  "next.config.ts",
  "postcss.config.mjs",
  "tsconfig.json",
  "tsconfig.build.json",
  "package.json",
  "package-lock.json",
  "scripts/build-output.ts",
  "scripts/build-output.ts",
];
/** Next reads `.env` files by itself; what is present, even empty, it leaves alone. The engine's SDK is different. */
export const unset: Variables = Object.fromEntries(
  settingNames.filter((name) => !/^INNGEST_(?!DEV$)/.test(name)).map((name) => [name, ""]),
);

export type BuildOptions = {
  distDir: string;
  settings: Variables;
  logFile: string;
  /** Only these pages and routes, as `next build --debug-build-paths` names them; for tests. */
  only?: readonly string[];
};

/**
 * Builds for production unless this very source was built already with these baked-in settings and of it the same
 * pages. Two builders of one folder take turns.
 * @returns true when it built
 * @throws Error with the end of the build's log
 */
export async function ensureBuild(options: BuildOptions, onBuild: () => void = () => {}): Promise<boolean> {
  const baked = bakedIn(options.settings);
  const stamp = join(inRepository(options.distDir), "source-hash");
  const wanted = () => hashOf(repositoryRoot, baked, options.only);
  const isCurrent = () => existsSync(stamp) && readFileSync(stamp, "utf8") === wanted();
  if (isCurrent()) return false;
  const unlock = await lock(inRepository(".cache", `build-${options.distDir}.lock`));
  try {
    if (isCurrent()) return false;
    onBuild();
    const hash = wanted();
    rmSync(stamp, { force: true });
    await runBuild(options, baked);
    writeFileSync(stamp, hash);
    return true;
  } finally {
    unlock();
  }
}

/**
 * The settings that static pages carry for good (STACK, trap 19). Every loopback origin counts as one, so that another
 * PORT needs no new build: nothing on such a page is meant for anyone elsewhere.
 */
export function bakedIn(settings: Variables): Variables {
  const entries = pageSettingNames.flatMap((name) => (settings[name] ? [[name, settings[name]] as const] : []));
  const baked: Variables = Object.fromEntries(entries);
  if (!baked.APP_URL || isLoopback(new URL(baked.APP_URL).hostname)) baked.APP_URL = "http://localhost:3000";
  return baked;
}

/** A hash over the sources below `root`, the configuration, the baked-in settings and which pages are built (else: all). */
export function hashOf(root: string, baked: Variables, only: readonly string[] | null = null): string {
  const hash = createHash("sha256").update(JSON.stringify([Object.entries(baked).sort(), only]));
  for (const file of [...sources, ...configuration].flatMap((name) => filesBelow(join(root, name)))) {
    hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file));
  }
  return hash.digest("hex");
}

function filesBelow(path: string): string[] {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  const names = readdirSync(path).sort();
  return names.flatMap((name) => filesBelow(join(path, name)));
}

async function runBuild(options: BuildOptions, baked: Variables): Promise<void> {
  const log = openLog(options.logFile);
  const script = inRepository("node_modules", "next", "dist", "bin", "next");
  const only = options.only ? [`--debug-build-paths=${options.only.join(",")}`] : [];
  // Where nothing was built before, nothing may be built after: a fresh checkout keeps nothing for a next build.
  const cache: Variables = existsSync(join(inRepository(options.distDir), "BUILD_ID")) ? { NEXT_BUILD_CACHE: "1" } : {};
  const ours = { ...unset, ...baked, ...cache, NEXT_DIST_DIR: options.distDir, NEXT_TELEMETRY_DISABLED: "1" };
  const child = spawn(nodeBinary(), [script, "build", ...only], {
    cwd: repositoryRoot,
    detached: true,
    // Nothing but what pages show: a build needs no secret.
    env: asProcessEnv({ ...inherited(), ...ours }),
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  if (child.pid !== undefined) tieToLife(child.pid, { order: 0, signal: "SIGKILL", graceMs: 0 });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  if (code !== 0)
    throw new Error(`The build failed. The end of ${options.logFile}:\n${lastLines(options.logFile, 40)}`);
  removeEmptyMaps(inRepository(options.distDir));
  await inlineBuiltStyles(inRepository(options.distDir));
}

/** What a program needs of the surroundings; settings are handed over by name. */
export function inherited(): Variables {
  const names = ["PATH", "HOME", "LANG", "TMPDIR", "TZ", "NODE_EXTRA_CA_CERTS"];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

const NAMELESS_MS = 10_000;

/** The owner is gone, or died between making the folder and writing who it is. */
function isAbandoned(folder: string, owner: string): boolean {
  const made = statSync(folder, { throwIfNoEntry: false });
  if (!made) return false;
  if (!existsSync(owner)) return Date.now() - made.mtimeMs > NAMELESS_MS;
  return identityOf(Number(readFileSync(owner, "utf8"))) === undefined;
}

/** A folder as a lock; one whose owner is gone is taken over. */
async function lock(folder: string): Promise<() => void> {
  const owner = join(folder, "pid");
  mkdirSync(inRepository(".cache"), { recursive: true });
  for (;;) {
    try {
      mkdirSync(folder);
      writeFileSync(owner, String(process.pid));
      return () => rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (!isCode(error, "EEXIST")) throw error;
    }
    if (isAbandoned(folder, owner)) rmSync(folder, { recursive: true, force: true });
    await delay(200);
  }
}
