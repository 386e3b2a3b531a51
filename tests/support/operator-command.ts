import { execFile } from "node:child_process";
import { nodeBinary } from "#scripts/processes.ts";
import { inRepository, repositoryRoot } from "#scripts/root.ts";

/** The exit code and output of an operator's command. */
export interface CommandEnd {
  code: number;
  out: string;
  err: string;
}

/** Runs a command's script in its own process, with exactly these settings. */
export const runCommand = (
  script: string,
  args: readonly string[],
  settings: Record<string, string>,
): Promise<CommandEnd> =>
  new Promise((resolve) => {
    const file = inRepository("scripts", script);
    const env = { ...settings, PATH: process.env.PATH ?? "", TZ: "Asia/Kathmandu", NODE_ENV: "production" as const };
    execFile(
      nodeBinary(),
      ["--conditions=react-server", file, ...args],
      { cwd: repositoryRoot, env, timeout: 80_000 },
      (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
        resolve({ code, out, err });
      },
    );
  });
