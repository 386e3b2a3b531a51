/** Type-checks the whole repository, including the declarations Next writes for its routes and pages. */
import { spawnSync } from "node:child_process";
import { inRepository, repositoryRoot } from "./root.ts";

const options = { cwd: repositoryRoot, stdio: "inherit" as const };
const next = spawnSync(
  process.execPath,
  [inRepository("node_modules", "next", "dist", "bin", "next"), "typegen"],
  options,
);
if (next.status !== 0) process.exit(next.status ?? 1);
const tsc = spawnSync(
  process.execPath,
  [inRepository("node_modules", "typescript", "bin", "tsc"), "--noEmit"],
  options,
);
process.exit(tsc.status ?? 1);
