import { randomBytes, randomInt } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseEnv } from "node:util";
import { settingNames } from "#lib/env-schema.ts";
import { nonEmpty, type Variables } from "./compose.ts";

/** Generated secrets of a local environment. */
export type LocalSecrets = {
  AUTH_SECRET: string;
  ENCRYPTION_KEY: string;
  PINTEREST_APP_ID: string;
  PINTEREST_APP_SECRET: string;
  OPENAI_API_KEY: string;
  GOOGLE_CLIENT_ID: string;
  GOOGLE_CLIENT_SECRET: string;
  PADDLE_API_KEY: string;
  PADDLE_CLIENT_TOKEN: string;
  PADDLE_WEBHOOK_SECRET: string;
  INNGEST_EVENT_KEY: string;
  INNGEST_SIGNING_KEY: string;
};

/** Random values in the formats of the real services. */
export function createSecrets(): LocalSecrets {
  const hex = (bytes: number) => randomBytes(bytes).toString("hex");
  return {
    AUTH_SECRET: hex(32),
    ENCRYPTION_KEY: hex(32),
    PINTEREST_APP_ID: String(randomInt(1_400_000, 1_600_000)),
    PINTEREST_APP_SECRET: hex(20),
    OPENAI_API_KEY: `sk-local-${hex(24)}`,
    GOOGLE_CLIENT_ID: "local.apps.googleusercontent.com",
    GOOGLE_CLIENT_SECRET: hex(16),
    PADDLE_API_KEY: `pdl_sdbx_apikey_${hex(13)}_${hex(11)}_${hex(2)}`,
    PADDLE_CLIENT_TOKEN: `test_${hex(14)}`,
    PADDLE_WEBHOOK_SECRET: `pdl_ntfset_${hex(13)}_${hex(16)}`,
    INNGEST_EVENT_KEY: hex(16),
    INNGEST_SIGNING_KEY: `signkey-local-${hex(32)}`,
  };
}

/** Loads the secrets in this file (readable only by its owner), and adds missing ones. */
export function loadSecrets(file: string): LocalSecrets {
  const saved: Partial<LocalSecrets> = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const secrets = { ...createSecrets(), ...saved };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  chmodSync(file, 0o600);
  return secrets;
}

/** Besides the app's settings: those of the start scripts, and of the durable engine (read by its SDK). */
const alsoSettings = [
  "PORT",
  "CHROMIUM_PATH",
  "INNGEST_SIGNING_KEY_FALLBACK",
  "INNGEST_ENV",
  "NEXT_SERVER_ACTIONS_ENCRYPTION_KEY",
];
const known = new Set([...settingNames, ...alsoSettings]);
/** Storage credentials have many forms that the SDK knows. */
const isKnown = (name: string): boolean => known.has(name) || name.startsWith("AWS_");

/** The operator's settings: the `.env` file, overridden by the environment. Other environment variables are ignored. */
export function readSettings(file: string, environment: Partial<Variables> = process.env): Variables {
  const written = existsSync(file) ? parseEnv(readFileSync(file, "utf8")) : {};
  const merged = { ...nonEmpty(written), ...nonEmpty(environment) };
  return Object.fromEntries(Object.entries(merged).filter(([name]) => isKnown(name)));
}

export type Listening = { port: number; host: string };

/** PORT and HOST of the app. @throws Error if they are invalid */
export function readListening(given: Variables, defaultPort: number): Listening {
  const port = Number(given.PORT ?? defaultPort);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new Error(`PORT must be a number from 1 to 65535, not "${given.PORT}".`);
  }
  return { port, host: given.HOST ?? "127.0.0.1" };
}
