import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inherited } from "#scripts/build.ts";
import { pickPort } from "#scripts/ports.ts";
import { asProcessEnv, type Child, nodeBinary, startChild } from "#scripts/processes.ts";
import { inRepository } from "#scripts/root.ts";

/** The bare Next app of a bench; never part of the product. */
export const baselineFolder = (bench: string): string => inRepository("tests", "bench", bench, "baseline");

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

/** Builds a baseline into its own folder, unless this source is already built. @throws with the build's output */
export function ensureBaselineBuild(folder: string): void {
  const stamp = join(folder, ".next-baseline", "source-hash");
  const hash = sourceHash(folder);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  // Turbopack would include the product's proxy and instrumentation from the repository's root.
  const built = spawnSync(nodeBinary(), [nextBinary(), "build", "--webpack"], {
    cwd: folder,
    env: asProcessEnv({ ...inherited(), NEXT_TELEMETRY_DISABLED: "1" }),
    encoding: "utf8",
  });
  if (built.status !== 0) throw new Error(`The baseline could not be built:\n${built.stdout}\n${built.stderr}`);
  writeFileSync(stamp, hash);
}

/** Starts a built baseline on a free port; `path` is polled until it responds. */
export async function startBaseline(
  folder: string,
  path: string,
  variables: Record<string, string> = {},
): Promise<{ url: string; child: Child }> {
  const port = await pickPort();
  const url = `http://127.0.0.1:${port}`;
  const child = await startChild({
    name: "baseline",
    args: ["--max-semi-space-size=16", nextBinary(), "start", folder, "-p", String(port), "-H", "127.0.0.1"],
    env: { ...inherited(), ...variables, NODE_ENV: "production" },
    logFile: join(inRepository(".test", "logs"), "baseline.log"),
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
