import type { TestProject } from "vitest/node";
import { startTestCluster, type TestCluster } from "./cluster.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the tests' PostgreSQL server (database `postgres`). */
    testServerUrl: string;
  }
}

type Shared = { cluster: Promise<TestCluster>; users: number };

// Each vitest project loads this file anew; they share one cluster through the process.
const place: typeof globalThis & { evertackTestCluster?: Shared } = globalThis;

/** Vitest's global setup of the projects that need a database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  place.evertackTestCluster ??= { cluster: startTestCluster(), users: 0 };
  const shared = place.evertackTestCluster;
  shared.users += 1;
  const cluster = await shared.cluster;
  project.provide("testServerUrl", cluster.serverUrl);
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    delete place.evertackTestCluster;
    await cluster.stop();
  };
}
