import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { nodeBinary } from "#scripts/processes.ts";
import { repositoryRoot } from "#scripts/root.ts";

/**
 * The test runners' own processes (global setups) lack the `react-server` condition, without which "server-only"
 * throws.
 */
test("modules that start the product for tests load without the server condition", () => {
  const script = 'await import("#tests/support/app.ts"); console.log("loaded");';
  const options = { cwd: repositoryRoot, encoding: "utf8", env: { NODE_ENV: "test" } } as const;
  expect(execFileSync(nodeBinary(), ["--input-type=module", "--eval", script], options)).toBe("loaded\n");
});
