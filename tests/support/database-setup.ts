import type { TestProject } from "vitest/node";
import { startTestCluster, type TestCluster } from "./cluster.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** URL of the tests' PostgreSQL server (database `postgres`). */
    testServerUrl: string;
  }
}

type Shared = { cluster: Promise<TestCluster>; users: number };

// Each vitest project loads this file separately; they share one cluster per process.
const globals: typeof globalThis & { evertackTestCluster?: Shared } = globalThis;

/** Vitest's global setup for projects that need a database. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  globals.evertackTestCluster ??= { cluster: startTestCluster(), users: 0 };
  const shared = globals.evertackTestCluster;
  shared.users += 1;
  const cluster = await shared.cluster;
  project.provide("testServerUrl", cluster.serverUrl);
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    delete globals.evertackTestCluster;
    await cluster.stop();
  };
}
