import { isLoopbackUrl } from "#lib/core/loopback.ts";
import { sandboxPrices } from "./catalog.ts";
import type { LocalSecrets } from "./settings-file.ts";

export type Variables = Record<string, string>;

/** External services, by their names in SANDBOX_SERVICES. */
export type Service = "pinterest" | "openai" | "google" | "paddle" | "email" | "inngest";

export type Ports = {
  app: number;
  console: number;
  pinterest: number;
  openai: number;
  google: number;
  paddle: number;
  inbox: number;
  smtp: number;
  executor: number;
};

export const preferredPorts: Ports & { postgres: number } = {
  app: 3000,
  console: 3100,
  pinterest: 3101,
  openai: 3102,
  inbox: 3103,
  paddle: 3104,
  google: 3105,
  smtp: 3125,
  executor: 3108,
  postgres: 3132,
};

/** If the first setting of a service is missing, a stand-in is used and none of the others may be set. */
const settingsOf: Record<Service, string[]> = {
  pinterest: [
    "PINTEREST_APP_ID",
    "PINTEREST_APP_SECRET",
    "PINTEREST_API_URL",
    "PINTEREST_OAUTH_URL",
    "PINTEREST_WEB_URL",
  ],
  openai: ["OPENAI_API_KEY", "OPENAI_BASE_URL"],
  google: ["GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET", "GOOGLE_ISSUER"],
  paddle: [
    "PADDLE_API_KEY",
    "PADDLE_CLIENT_TOKEN",
    "PADDLE_WEBHOOK_SECRET",
    "PADDLE_PRICES",
    "PADDLE_API_URL",
    "PADDLE_ENVIRONMENT",
    "PADDLE_JS_URL",
  ],
  email: ["SMTP_URL"],
  inngest: ["INNGEST_SIGNING_KEY", "INNGEST_EVENT_KEY", "INNGEST_BASE_URL"],
};

const services = Object.keys(settingsOf) as Service[];

/** The services that need a stand-in. @throws Error if a service is only partly configured */
export function standInServices(given: Partial<Variables>): Service[] {
  const missing = missingServices(given);
  // Sign-in with Google is optional: a stand-in of it alone would turn a real site into a trial.
  return missing.every((service) => service === "google") ? [] : missing;
}

function missingServices(given: Partial<Variables>): Service[] {
  return services.filter((service) => {
    const [deciding = "", ...others] = settingsOf[service];
    if (given[deciding]) return false;
    const partial = others.find((name) => given[name]);
    if (partial)
      throw new Error(`${partial} is set but ${deciding} is not. Set both, or neither to use the local stand-in.`);
    return true;
  });
}

/** @throws Error if the local executor would have a process of another role only, which leaves work undone */
export function assertRoleFits({ env, standIns }: Composition): void {
  if (!standIns.includes("inngest") || ["", "all"].includes(env.ROLE ?? "")) return;
  throw new Error(`ROLE=${env.ROLE} needs an Inngest server: the local executor works for one process with ROLE=all.`);
}

type CompositionInput = {
  /** The operator's settings from the environment and `.env`. They take precedence. */
  given: Partial<Variables>;
  secrets: LocalSecrets;
  ports: Ports;
  host: string;
  databaseUrl: string;
  /** Absolute folder for images and the stand-ins' state. */
  dataDir: string;
};

/** A complete environment for the app, and the services with a stand-in. */
export type Composition = { env: Variables; standIns: Service[] };

/** Completes the settings for one machine: generates missing secrets and configures stand-ins for missing services. */
export function composeSettings(input: CompositionInput): Composition {
  const { given, secrets, ports, host } = input;
  const standIns = standInServices(given);
  const generated = !given.AUTH_SECRET || !given.ENCRYPTION_KEY;
  const appUrl = given.APP_URL || `http://localhost:${ports.app}`;
  const defaults: Variables = {
    APP_URL: appUrl,
    MAIL_FROM: `${given.PRODUCT_NAME ?? "Evertack"} <hello@evertack.localhost>`,
    STORAGE_URL: `file:${input.dataDir}/storage`,
    AUTH_SECRET: secrets.AUTH_SECRET,
    ENCRYPTION_KEY: secrets.ENCRYPTION_KEY,
    ...(isLoopbackUrl(appUrl) && localDefaults(ports)),
  };
  const fixed: Variables = {
    PORT: String(ports.app),
    HOST: host,
    DATABASE_URL: input.databaseUrl,
    SANDBOX_SERVICES: standIns.join(","),
    GENERATED_SECRETS: generated ? "1" : "",
    INNGEST_ENABLE_UNAUTHED_SYNC: "0",
    NEXT_TELEMETRY_DISABLED: "1",
  };
  const sandboxed = Object.assign({}, ...standIns.map((service) => sandboxSettings(service, secrets, ports)));
  return { env: { ...defaults, ...nonEmpty(given), ...fixed, ...sandboxed }, standIns };
}

/** Only for trials on one machine. HOST must not decide: behind a proxy it is a loopback address in production. */
const localDefaults = (ports: Ports): Variables => ({
  CORS_ORIGINS: `http://127.0.0.1:${ports.app}`,
  RATE_LIMIT_FACTOR: "50",
});

function sandboxSettings(service: Service, secrets: LocalSecrets, ports: Ports): Variables {
  const at = (port: number) => `http://127.0.0.1:${port}`;
  switch (service) {
    case "pinterest":
      return {
        PINTEREST_APP_ID: secrets.PINTEREST_APP_ID,
        PINTEREST_APP_SECRET: secrets.PINTEREST_APP_SECRET,
        PINTEREST_API_URL: `${at(ports.pinterest)}/v5`,
        PINTEREST_OAUTH_URL: `${at(ports.pinterest)}/oauth/`,
        PINTEREST_WEB_URL: at(ports.pinterest),
      };
    case "openai":
      return { OPENAI_API_KEY: secrets.OPENAI_API_KEY, OPENAI_BASE_URL: `${at(ports.openai)}/v1` };
    case "google":
      return {
        GOOGLE_CLIENT_ID: secrets.GOOGLE_CLIENT_ID,
        GOOGLE_CLIENT_SECRET: secrets.GOOGLE_CLIENT_SECRET,
        GOOGLE_ISSUER: at(ports.google),
      };
    case "paddle":
      return {
        PADDLE_API_KEY: secrets.PADDLE_API_KEY,
        PADDLE_CLIENT_TOKEN: secrets.PADDLE_CLIENT_TOKEN,
        PADDLE_WEBHOOK_SECRET: secrets.PADDLE_WEBHOOK_SECRET,
        PADDLE_PRICES: JSON.stringify(sandboxPrices()),
        PADDLE_ENVIRONMENT: "sandbox",
        PADDLE_API_URL: at(ports.paddle),
        PADDLE_JS_URL: `${at(ports.paddle)}/paddle.js`,
      };
    case "email":
      return { SMTP_URL: `smtp://127.0.0.1:${ports.smtp}` };
    case "inngest":
      return {
        INNGEST_SIGNING_KEY: secrets.INNGEST_SIGNING_KEY,
        INNGEST_EVENT_KEY: secrets.INNGEST_EVENT_KEY,
        INNGEST_BASE_URL: at(ports.executor),
      };
  }
}

/** The variables that have a value; empty ones count as missing, as in lib/env.ts. */
export function nonEmpty(variables: Partial<Variables>): Variables {
  const entries = Object.entries(variables);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => Boolean(entry[1])));
}
