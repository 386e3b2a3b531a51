/**
 * First stage of every command: plain JavaScript for any Node from 18 on. Installs packages if node_modules differs
 * from the lockfile, then runs the second stage on the bundled Node.
 */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const lockFolder = join(root, ".cache", "install.lock");

/**
 * Whether node_modules matches the lockfile, according to the list that npm writes after an installation.
 * Optional packages (binaries of other platforms) may be missing.
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

/** Runs `npm ci` if needed. A second command waits for the first one's installation. */
export async function ensureInstalled() {
  if (isCurrent()) return;
  await acquireLock();
  try {
    if (!isCurrent()) install();
  } finally {
    rmSync(lockFolder, { recursive: true, force: true });
  }
}

function install() {
  console.error("Installing packages (about a minute)…");
  const cli = process.env.npm_execpath;
  const [command, args] = cli?.endsWith("npm-cli.js") ? [process.execPath, [cli]] : ["npm", []];
  const done = spawnSync(command, [...args, "ci", "--include=dev", "--include=optional", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (done.error) exitWith(`npm could not be started: ${done.error.message}`);
  if (done.status !== 0) exitWith("npm ci failed. See its output above.");
}

async function acquireLock() {
  mkdirSync(dirname(lockFolder), { recursive: true });
  for (;;) {
    try {
      mkdirSync(lockFolder);
      writeFileSync(join(lockFolder, "pid"), String(process.pid));
      return;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    if (isStaleLock()) rmSync(lockFolder, { recursive: true, force: true });
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function isStaleLock() {
  try {
    process.kill(Number(readFileSync(join(lockFolder, "pid"), "utf8")), 0);
    return false;
  } catch (error) {
    if (error.code === "ESRCH") return true;
    // The pid file is written right after the folder is created; if it is still missing after ten seconds, it never
    // will be.
    const made = statSync(lockFolder, { throwIfNoEntry: false });
    return error.code === "ENOENT" && made !== undefined && Date.now() - made.mtimeMs > 10_000;
  }
}

/**
 * Installs, then runs `scripts/<stage>` on the bundled Node and exits with its exit code. The stage notices the end of
 * this process by its IPC channel; this process notices the end of npm by its parent.
 */
export async function runStage(stage, commandArgs) {
  await ensureInstalled();
  // A small heap: these processes live long and do little.
  const args = ["--optimize-for-size", "--conditions=react-server", join(root, "scripts", stage), ...commandArgs];
  const child = spawn(nodeBinary(), args, { stdio: ["inherit", "inherit", "inherit", "ipc"] });
  // The terminal sends Ctrl-C to the whole group. The stage handles it, and this process waits.
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

/** Calls back once when npm (or the shell between) has ended. Does nothing when started by hand. */
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

/** The parent of the shell between npm and this process; undefined without a shell or /proc. */
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
