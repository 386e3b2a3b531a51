import { migrateDatabase } from "#db/migrate.ts";
import { createDatabase } from "#scripts/postgres.ts";
import { startTestCluster } from "#tests/support/cluster.ts";
import { createTestHarness, type TestHarness } from "#tests/support/context.ts";

type HarnessOptions = Pick<Parameters<typeof createTestHarness>[0], "links">;

/** Runs a bench with its own database cluster, which is deleted afterward. `name` names the database. */
export const inBenchHarness = async <R>(
  name: string,
  measure: (harness: TestHarness) => Promise<R>,
  options: HarnessOptions = {},
): Promise<R> => {
  const cluster = await startTestCluster();
  try {
    const url = await createDatabase(cluster.serverUrl, `bench_${name}_${process.pid}`);
    await migrateDatabase(url);
    const harness = createTestHarness({ databaseUrl: url, storageDir: "/nonexistent", ...options });
    try {
      return await measure(harness);
    } finally {
      await harness.close();
    }
  } finally {
    await cluster.stop();
  }
};
