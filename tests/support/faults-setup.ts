import type { TestProject } from "vitest/node";
import { ensureTestBuild } from "./app.ts";
import setupDatabase from "./database-setup.ts";

/** Vitest's global setup of the fault tests: a build and a database server; each file starts its own app. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await ensureTestBuild();
  return setupDatabase(project);
}
