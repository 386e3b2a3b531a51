/**
 * First stage of every command: plain JavaScript for any Node from 18 on. Installs what the lockfile names when
 * node_modules differs from it, then runs the second stage on the bundled Node.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const lockFolder = join(root, ".cache", "install.lock");

/**
 * Whether node_modules holds what the lockfile names, judged by the list npm leaves behind when it has finished.
 * Optional packages (other platforms' binaries) may be missing.
 * @param {{packages: Record<string, {version?: string, integrity?: string, optional?: boolean}>}} lock package-lock.json
 * @param {{packages: Record<string, {version?: string, integrity?: string}>}} installed node_modules/.package-lock.json
 */
export function isInstalled(lock, installed) {
  const same = (path) =>
    installed.packages[path]?.version === lock.packages[path]?.version &&
    installed.packages[path]?.integrity === lock.packages[path]?.integrity;
  const wanted = Object.keys(lock.packages).filter((path) => path !== "");
  return (
    wanted.every((path) => (path in installed.packages ? same(path) : lock.packages[path].optional === true)) &&
    Object.keys(installed.packages).every((path) => path in lock.packages)
  );
}

function isCurrent() {
  const left = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(left)) return false;
  return isInstalled(readJson(join(root, "package-lock.json")), readJson(left));
}

/** Runs `npm ci` when needed; a second command started meanwhile waits for the first one's. */
export async function ensureInstalled() {
  if (isCurrent()) return;
  await takeLock();
  try {
    if (!isCurrent()) install();
  } finally {
    rmSync(lockFolder, { recursive: true, force: true });
  }
}

function install() {
  console.error("Installing packages (a minute or so) …");
  const cli = process.env.npm_execpath;
  const [command, args] = cli?.endsWith("npm-cli.js") ? [process.execPath, [cli]] : ["npm", []];
  const done = spawnSync(command, [...args, "ci", "--include=dev", "--include=optional", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (done.error) exitWith(`npm could not be started: ${done.error.message}`);
  if (done.status !== 0) exitWith("npm ci failed; what it wrote stands above.");
}

async function takeLock() {
  mkdirSync(dirname(lockFolder), { recursive: true });
  for (;;) {
    try {
      mkdirSync(lockFolder);
      writeFileSync(join(lockFolder, "pid"), String(process.pid));
      return;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if (isAbandoned()) rmSync(lockFolder, { recursive: true, force: true });
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function isAbandoned() {
  try {
    process.kill(Number(readFileSync(join(lockFolder, "pid"), "utf8")), 0);
    return false;
  } catch (error) {
    if (error.code === "ESRCH") return true;
    // Between making the folder and writing the number there is no file; ten seconds later nobody will write it.
    const made = statSync(lockFolder, { throwIfNoEntry: false });
    return error.code === "ENOENT" && made !== undefined && Date.now() - made.mtimeMs > 10_000;
  }
}

/**
 * Installs, then runs `scripts/<stage>` with these arguments on the bundled Node and ends as it ends.
 * The stage learns of our death by the closing of its IPC channel, of npm's by ours.
 */
export async function runStage(stage, commandArgs) {
  await ensureInstalled();
  // A small heap from the start: these processes live long and do little.
  const args = ["--optimize-for-size", "--conditions=react-server", join(root, "scripts", stage), ...commandArgs];
  const child = spawn(nodeBinary(), args, { stdio: ["inherit", "inherit", "inherit", "ipc"] });
  // The terminal sends Ctrl-C to the whole group; the stage decides, we wait for it.
  process.on("SIGINT", () => {});
  for (const name of ["SIGTERM", "SIGHUP"]) process.on(name, () => child.kill("SIGTERM"));
  watchParents(() => child.kill("SIGTERM"));
  child.on("error", (error) => exitWith(`The bundled Node could not be started: ${error.message}`));
  child.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}

function nodeBinary() {
  const bundled = join(root, "node_modules", ".bin", "node");
  if (existsSync(bundled)) return bundled;
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath;
  return exitWith(
    `There is no bundled Node for this platform; install Node 22.18 or newer (this is ${process.version}).`,
  );
}

/** Calls back once when npm (or the shell between us and it) is gone. Started by hand, nobody is watched. */
function watchParents(callback) {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const grandparent = parentOf(parent);
  const timer = setInterval(() => {
    if (process.ppid === parent && parentOf(parent) === grandparent) return;
    clearInterval(timer);
    callback();
  }, 500);
  timer.unref();
}

/** The parent of the shell between npm and us; without a shell, or without /proc, nobody. */
function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
    return /^(sh|bash|dash|ash)$/.test(name) ? stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] : undefined;
  } catch {
    return undefined;
  }
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}

function exitWith(sentence) {
  console.error(sentence);
  process.exit(1);
}
