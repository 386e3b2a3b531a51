import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { nodeBinary } from "#scripts/processes.ts";
import { repositoryRoot } from "#scripts/root.ts";

/** The runners' own processes (global setups) have no `react-server` condition, under which "server-only" throws. */
test("what starts the product for the tests loads without the server's condition", () => {
  const script = 'await import("#tests/support/app.ts"); console.log("loaded");';
  const options = { cwd: repositoryRoot, encoding: "utf8", env: { NODE_ENV: "test" } } as const;
  expect(execFileSync(nodeBinary(), ["--input-type=module", "--eval", script], options)).toBe("loaded\n");
});
