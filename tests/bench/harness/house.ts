import { migrateDatabase } from "#db/migrate.ts";
import { createDatabase } from "#scripts/postgres.ts";
import { startTestCluster } from "#tests/support/cluster.ts";
import { createTestHouse, type TestHouse } from "#tests/support/context.ts";

/**
 * Measures in a house of its own: a cluster with one new, migrated database, which is gone afterwards. `name` is the
 * bench's; the database bears it.
 */
export const inBenchHouse = async <R>(name: string, measure: (house: TestHouse) => Promise<R>): Promise<R> => {
  const cluster = await startTestCluster();
  try {
    const url = await createDatabase(cluster.serverUrl, `bench_${name}_${process.pid}`);
    await migrateDatabase(url);
    const house = createTestHouse({ databaseUrl: url, storageDir: "/nonexistent" });
    try {
      return await measure(house);
    } finally {
      await house.close();
    }
  } finally {
    await cluster.stop();
  }
};
