import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { migrateDatabase } from "#db/migrate.ts";
import { createDatabase, startPostgres } from "#scripts/postgres.ts";
import { identityOf } from "#scripts/processes.ts";
import { inRepository } from "#scripts/root.ts";
import { installDatabaseClock } from "./database-clock.ts";

/** The tests' PostgreSQL. Databases are cloned from the template: migrated, empty, with a movable clock. */
export type TestCluster = { serverUrl: string; stop(): Promise<void> };

export const templateName = "template_evertack";

/**
 * Starts a cluster for this process below `.test/` (about a second), so that concurrent test runs do not interfere.
 * Removes clusters left behind by killed runs.
 */
export async function startTestCluster(): Promise<TestCluster> {
  const base = inRepository(".test");
  mkdirSync(base, { recursive: true });
  removeAbandoned(base);
  const dataDir = join(base, `postgres-${process.pid}`);
  rmSync(dataDir, { recursive: true, force: true });
  const server = await startPostgres({ dataDir, durable: false });
  try {
    const template = await createDatabase(server.url, templateName);
    await migrateDatabase(template);
    await installDatabaseClock(template);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    serverUrl: server.url,
    stop: async () => {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Folders are named after their process; those of ended processes are removed unless a server still uses them. */
function removeAbandoned(base: string): void {
  for (const name of readdirSync(base)) {
    const pid = /^(?:postgres|app)-(\d+)/.exec(name)?.[1];
    if (!pid || identityOf(Number(pid)) !== undefined) continue;
    const folder = join(base, name);
    if (isServing(join(folder, "data", "postmaster.pid"))) continue;
    try {
      unmountBelow(folder);
      rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      console.warn(`${folder} was left behind by a killed run and could not be removed:`, error);
    }
  }
}

/** A killed run of the full-disk fault leaves its small disk mounted. */
function unmountBelow(folder: string): void {
  if (!existsSync("/proc/self/mounts")) return;
  const points = readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "");
  for (const point of points.filter((mountPoint) => mountPoint.startsWith(`${folder}/`)).reverse()) {
    execFileSync("umount", ["-l", point], { stdio: "pipe" });
  }
}

function isServing(pidFile: string): boolean {
  if (!existsSync(pidFile)) return false;
  return identityOf(Number(readFileSync(pidFile, "utf8").split("\n")[0])) !== undefined;
}
