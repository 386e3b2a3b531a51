import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { present, type Variables } from "./compose.ts";

/** What the shell and npm put into the environment of a command, and what a child needs nothing of. */
const notSettings = /^(npm_|NODE_ENV$|NODE_CHANNEL|NODE_UNIQUE|INIT_CWD$|COLOR$|__NEXT|NEXT_DIST_DIR$)/;

/** The operator's settings: the file `.env` when there is one, the environment winning over it. */
export function readSettings(file: string, environment: Partial<Variables> = process.env): Variables {
  const written = existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
  const merged = { ...present(written), ...present(environment) };
  return Object.fromEntries(Object.entries(merged).filter(([name]) => !notSettings.test(name)));
}

export type Listening = { port: number; host: string };

/** PORT and HOST of the app. @throws Error with one sentence when they make no sense */
export function readListening(given: Variables, defaultPort: number): Listening {
  const port = Number(given.PORT ?? defaultPort);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Error(`PORT must be a number from 1 to 65535, not "${given.PORT}".`);
  }
  return { port, host: given.HOST ?? "127.0.0.1" };
}
