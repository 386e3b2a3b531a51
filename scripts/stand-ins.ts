/**
 * The stand-ins of Pinterest, OpenAI, and Paddle for the compose profile `trial`. Their addresses, keys, and secrets come
 * from the app's own settings.
 */
import { spawn } from "node:child_process";
import { preferredPorts } from "./compose.ts";
import { asProcessEnv, nodeBinary } from "./processes.ts";
import { inRepository, repositoryRoot } from "./root.ts";
import { sandboxOptions } from "./services.ts";
import { readSettings } from "./settings-file.ts";

const SERVICES = ["pinterest", "openai", "paddle"] as const;
const { STAND_IN_HOST = "127.0.0.1", STAND_IN_DATA = inRepository(".data", "sandbox"), APP_INTERNAL_URL } = process.env;

const settings = readSettings(inRepository(".env"));
const options = sandboxOptions(
  {
    ports: preferredPorts,
    host: STAND_IN_HOST,
    latency: { textMs: 1_200, imageMs: 3_000 },
    composition: { env: settings, standIns: [...SERVICES] },
    databaseUrl: "",
    retryScale: 1,
  },
  STAND_IN_DATA,
);
const { paddle } = options;
if (paddle && APP_INTERNAL_URL) paddle.webhook.url = `${APP_INTERNAL_URL}/api/webhooks/paddle/`;

const child = spawn(
  nodeBinary(),
  [inRepository("sandbox", "main.ts"), "--services", SERVICES.join(","), "--data", STAND_IN_DATA],
  {
    cwd: repositoryRoot,
    env: asProcessEnv({
      PATH: process.env.PATH ?? "",
      SANDBOX_OPTIONS: JSON.stringify({ ...options, host: STAND_IN_HOST }),
      NODE_ENV: "production",
    }),
    stdio: "inherit",
  },
);
for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => child.kill("SIGTERM"));
child.once("exit", (code) => process.exit(code ?? 1));
