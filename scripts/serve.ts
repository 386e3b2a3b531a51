/**
 * `npm run serve`: runs one process of the product on an existing build: no stand-ins, no build, logs to the terminal.
 * Applies missing migrations first; processes that start together wait for the one that migrates.
 */
import { spawn } from "node:child_process";
import { parseEnv } from "#lib/env.ts";
import { assertBuilt } from "./build.ts";
import { preferredPorts } from "./compose.ts";
import { migrate } from "./local.ts";
import { asProcessEnv, nodeBinary } from "./processes.ts";
import { inRepository, repositoryRoot } from "./root.ts";
import { appCommand } from "./services.ts";
import { readListening, readSettings } from "./settings-file.ts";

const distDir = ".next";

try {
  await serve();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

async function serve(): Promise<void> {
  const given = readSettings(inRepository(".env"));
  const { port, host } = readListening(given, preferredPorts.app);
  const { DATABASE_URL } = parseEnv(given);
  assertBuilt(distDir, given);
  await migrate(DATABASE_URL);
  const settings = { ...given, PORT: String(port), HOST: host, INNGEST_ENABLE_UNAUTHED_SYNC: "0" };
  const { args, env } = appCommand({ port, host, settings, distDir });
  const app = spawn(nodeBinary(), args, { cwd: repositoryRoot, env: asProcessEnv(env), stdio: "inherit" });
  // The app finishes its requests first; a second signal changes nothing.
  for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => app.kill("SIGTERM"));
  process.on("disconnect", () => app.kill("SIGTERM"));
  app.once("error", (error) => {
    console.error(`The app could not be started: ${error.message}`);
    process.exit(1);
  });
  app.once("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}
