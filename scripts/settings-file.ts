import { existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { settingNames } from "#lib/env-schema.ts";
import { present, type Variables } from "./compose.ts";

/** Besides those of the app: what the start itself needs, and the durable engine's own (its SDK reads them). */
const alsoSettings = ["PORT", "HOST", "CHROMIUM_PATH", "INNGEST_SIGNING_KEY_FALLBACK", "INNGEST_ENV"];
const known = new Set([...settingNames, ...alsoSettings]);
/** The credentials of a bucket have many forms, which the SDK knows. */
const isKnown = (name: string): boolean => known.has(name) || name.startsWith("AWS_");

/**
 * The operator's settings: the file `.env` when there is one, the environment winning over it. Whatever else the
 * environment holds is not ours to keep or to hand on.
 */
export function readSettings(file: string, environment: Partial<Variables> = process.env): Variables {
  const written = existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
  const merged = { ...present(written), ...present(environment) };
  return Object.fromEntries(Object.entries(merged).filter(([name]) => isKnown(name)));
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
