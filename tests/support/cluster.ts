import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { migrateDatabase } from "#db/migrate.ts";
import { identityOf } from "#scripts/pid.ts";
import { createDatabase, startPostgres } from "#scripts/postgres.ts";
import { inRepository } from "#scripts/root.ts";

/** The tests' own PostgreSQL. Databases are cloned from `template`, which is migrated and empty. */
export type TestCluster = { serverUrl: string; stop(): Promise<void> };

export const templateName = "template_evertack";
const folderPrefix = "postgres-";

/**
 * Starts a cluster for this process alone, below `.test/`, so that several test runs never meet; about a second.
 * Clusters left behind by killed runs are removed.
 */
export async function startTestCluster(): Promise<TestCluster> {
  const base = inRepository(".test");
  mkdirSync(base, { recursive: true });
  removeAbandoned(base);
  const dataDir = join(base, `${folderPrefix}${process.pid}`);
  rmSync(dataDir, { recursive: true, force: true });
  const server = await startPostgres({ dataDir, durable: false });
  try {
    await migrateDatabase(await createDatabase(server.url, templateName));
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

function removeAbandoned(base: string): void {
  for (const name of readdirSync(base).filter((entry) => entry.startsWith(folderPrefix))) {
    const pid = Number(name.slice(folderPrefix.length));
    const folder = join(base, name);
    const stillServing = existsSync(join(folder, "data", "postmaster.pid"));
    if (identityOf(pid) === undefined && !stillServing) rmSync(folder, { recursive: true, force: true });
  }
}
