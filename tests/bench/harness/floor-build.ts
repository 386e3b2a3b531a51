import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inherited } from "#scripts/build.ts";
import { pickPort } from "#scripts/ports.ts";
import { asProcessEnv, type Child, nodeBinary, startChild } from "#scripts/processes.ts";
import { inRepository } from "#scripts/root.ts";

/** The bare Next app of a bench: what the product is measured beside, never part of it. */
export const floorFolder = (bench: string): string => inRepository("tests", "bench", bench, "floor");

const nextBinary = (): string => inRepository("node_modules", "next", "dist", "bin", "next");

function filesBelow(path: string): string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)));
}

function sourceHash(folder: string): string {
  const hash = createHash("sha256").update(readFileSync(inRepository("package-lock.json")));
  for (const file of [...filesBelow(join(folder, "app")), join(folder, "next.config.ts")]) {
    hash.update(readFileSync(file));
  }
  return hash.digest("hex");
}

/** Builds a floor into its own folder unless this very source was built already. @throws with the build's output. */
export function ensureFloorBuild(folder: string): void {
  const stamp = join(folder, ".next-floor", "source-hash");
  const hash = sourceHash(folder);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  // Turbopack would take in the proxy and the instrumentation that stand at the packages' root, the product's own.
  const built = spawnSync(nodeBinary(), [nextBinary(), "build", "--webpack"], {
    cwd: folder,
    env: asProcessEnv({ ...inherited(), NEXT_TELEMETRY_DISABLED: "1" }),
    encoding: "utf8",
  });
  if (built.status !== 0) throw new Error(`The floor cannot be built:\n${built.stdout}\n${built.stderr}`);
  writeFileSync(stamp, hash);
}

/** Starts a built floor on a free port; `path` is asked until it answers. */
export async function startFloor(
  folder: string,
  path: string,
  variables: Record<string, string> = {},
): Promise<{ url: string; child: Child }> {
  const port = await pickPort();
  const url = `http://127.0.0.1:${port}`;
  const child = await startChild({
    name: "floor",
    args: ["--max-semi-space-size=16", nextBinary(), "start", folder, "-p", String(port), "-H", "127.0.0.1"],
    env: { ...inherited(), ...variables, NODE_ENV: "production" },
    logFile: join(inRepository(".test", "logs"), "floor.log"),
    ending: { order: 1, signal: "SIGTERM", graceMs: 3_000 },
    ready: async () => {
      const answer = await fetch(`${url}${path}`).catch(() => undefined);
      await answer?.body?.cancel();
      return answer?.ok ?? false;
    },
    readyDeadlineMs: 60_000,
  });
  return { url, child };
}
