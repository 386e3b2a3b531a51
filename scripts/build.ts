import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { isLoopbackUrl } from "#lib/core/loopback.ts";
import { pageSettingNames, settingNames } from "#lib/env-schema.ts";
import { inlineBuiltStyles, removeEmptyMaps } from "./build-output.ts";
import type { Variables } from "./compose.ts";
import { asProcessEnv, endWithParent, hasErrorCode, identityOf, lastLines, nodeBinary, openLog } from "./processes.ts";
import { inRepository, repositoryRoot } from "./root.ts";

/** Everything that affects a build. */
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
];
/** Builds with the same key give server actions the same ids. */
const ACTIONS_KEY = "NEXT_SERVER_ACTIONS_ENCRYPTION_KEY";
/** Next reads `.env` files, but leaves variables that are set, even if empty. The engine's SDK does not. */
export const unset: Variables = Object.fromEntries(
  settingNames.filter((name) => !/^INNGEST_(?!DEV$)/.test(name)).map((name) => [name, ""]),
);

type BuildOptions = {
  distDir: string;
  settings: Variables;
  logFile: string;
  /** Builds only these pages and routes, as in `next build --debug-build-paths`; for tests. */
  only?: readonly string[];
};

/**
 * Builds for production, unless the same source was already built with these settings and pages. Builds of one folder
 * take turns.
 * @returns true if it built
 * @throws Error with the end of the build's log
 */
export async function ensureBuild(options: BuildOptions, onBuild: () => void = () => {}): Promise<boolean> {
  const baked = bakedSettings(options.settings);
  const stamp = join(inRepository(options.distDir), "source-hash");
  const key = actionsKeyIn(options.settings);
  const requested = () => hashOf(repositoryRoot, { ...baked, ...key }, options.only);
  const isCurrent = () =>
    existsSync(stamp) && existsSync(bakedFile(options.distDir)) && readFileSync(stamp, "utf8") === requested();
  if (isCurrent()) return false;
  const unlock = await lock(inRepository(".cache", `build-${options.distDir}.lock`));
  try {
    if (isCurrent()) return false;
    onBuild();
    const hash = requested();
    rmSync(stamp, { force: true });
    await runBuild(options, { ...baked, ...key });
    writeFileSync(bakedFile(options.distDir), JSON.stringify(baked));
    writeFileSync(stamp, hash);
    return true;
  } finally {
    unlock();
  }
}

/**
 * The settings that static pages contain. All loopback origins count as the same, so that another PORT needs no new
 * build.
 */
export function bakedSettings(settings: Variables): Variables {
  const entries = pageSettingNames.flatMap((name) => (settings[name] ? [[name, settings[name]] as const] : []));
  const baked: Variables = Object.fromEntries(entries);
  if (!baked.APP_URL || isLoopbackUrl(baked.APP_URL)) baked.APP_URL = "http://localhost:3000";
  return baked;
}

const bakedFile = (distDir: string): string => join(inRepository(distDir), "settings.json");

const actionsKeyIn = (settings: Variables): Variables =>
  settings[ACTIONS_KEY] ? { [ACTIONS_KEY]: settings[ACTIONS_KEY] } : {};

const bakedRecord = z.record(z.string(), z.string());

/**
 * Checks that there is a build whose pages show these settings.
 * @throws Error that says what to do
 */
export function assertBuilt(distDir: string, settings: Variables): void {
  const file = bakedFile(distDir);
  if (!existsSync(file)) throw new Error("There is no build. Run: npm run build");
  const built = bakedRecord.parse(JSON.parse(readFileSync(file, "utf8")));
  const wanted = bakedSettings(settings);
  const different = pageSettingNames.filter((name) => built[name] !== wanted[name]);
  if (different.length === 0) return;
  const lines = different.map(
    (name) => `  ${name} is ${wanted[name] ?? "not set"}, but ${built[name] ?? "not set"} in the build`,
  );
  throw new Error(`The build used different settings. Rebuild, or restore these:\n${lines.join("\n")}`);
}

/** A hash of the sources below `root`, the configuration, the baked-in settings and the built pages (null: all). */
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
  // Only keep a build cache where there was a build before: a fresh checkout does not need one.
  const cache: Variables = existsSync(join(inRepository(options.distDir), "BUILD_ID")) ? { NEXT_BUILD_CACHE: "1" } : {};
  const ours = { ...unset, ...baked, ...cache, NEXT_DIST_DIR: options.distDir, NEXT_TELEMETRY_DISABLED: "1" };
  const child = spawn(nodeBinary(), [script, "build", ...only], {
    cwd: repositoryRoot,
    detached: true,
    // Only the settings that pages show: a build needs no secrets.
    env: asProcessEnv({ ...inherited(), ...ours }),
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  if (child.pid !== undefined) endWithParent(child.pid, { order: 0, signal: "SIGKILL", graceMs: 0 });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  if (code !== 0)
    throw new Error(`The build failed. The end of ${options.logFile}:\n${lastLines(options.logFile, 40)}`);
  removeEmptyMaps(inRepository(options.distDir));
  await inlineBuiltStyles(inRepository(options.distDir));
}

/** The environment variables that every child process needs. */
export function inherited(): Variables {
  const names = ["PATH", "HOME", "LANG", "TMPDIR", "TZ", "NODE_EXTRA_CA_CERTS"];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

const MISSING_PID_GRACE_MS = 10_000;

/** Whether the owner is gone, or died before it wrote its pid. */
function isStaleLock(folder: string, owner: string): boolean {
  const made = statSync(folder, { throwIfNoEntry: false });
  if (!made) return false;
  if (!existsSync(owner)) return Date.now() - made.mtimeMs > MISSING_PID_GRACE_MS;
  return identityOf(Number(readFileSync(owner, "utf8"))) === undefined;
}

/** Uses a folder as a lock; takes over a stale one. */
async function lock(folder: string): Promise<() => void> {
  const owner = join(folder, "pid");
  mkdirSync(inRepository(".cache"), { recursive: true });
  for (;;) {
    try {
      mkdirSync(folder);
      writeFileSync(owner, String(process.pid));
      return () => rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (!hasErrorCode(error, "EEXIST")) throw error;
    }
    if (isStaleLock(folder, owner)) rmSync(folder, { recursive: true, force: true });
    await delay(200);
  }
}
