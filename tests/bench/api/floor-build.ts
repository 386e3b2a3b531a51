import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inherited } from "#scripts/build.ts";
import { asProcessEnv, nodeBinary } from "#scripts/child.ts";
import { inRepository } from "#scripts/root.ts";

export const FLOOR_FOLDER = inRepository("tests", "bench", "api", "floor");
const BUILT = join(FLOOR_FOLDER, ".next-floor");
const STAMP = join(BUILT, "source-hash");

function filesBelow(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)));
}

function sourceHash(): string {
  const hash = createHash("sha256").update(readFileSync(inRepository("package-lock.json")));
  for (const file of [...filesBelow(join(FLOOR_FOLDER, "app")), join(FLOOR_FOLDER, "next.config.ts")]) {
    hash.update(readFileSync(file));
  }
  return hash.digest("hex");
}

/** Builds the floor into its own folder unless this very source was built already. @throws with the build's output. */
export function ensureFloorBuild(): void {
  const hash = sourceHash();
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === hash) return;
  const next = inRepository("node_modules", "next", "dist", "bin", "next");
  // Turbopack would take in the proxy and the instrumentation that stand at the packages' root, the product's own.
  const built = spawnSync(nodeBinary(), [next, "build", "--webpack"], {
    cwd: FLOOR_FOLDER,
    env: asProcessEnv({ ...inherited(), NEXT_TELEMETRY_DISABLED: "1" }),
    encoding: "utf8",
  });
  if (built.status !== 0) throw new Error(`The floor cannot be built:\n${built.stdout}\n${built.stderr}`);
  writeFileSync(STAMP, hash);
}
