import "server-only";
import { join } from "node:path";
import type { z } from "zod";
import { pageSettings, settings } from "./env-schema.ts";

export type Env = z.output<typeof settings>;
export type PageEnv = z.output<typeof pageSettings>;

/** Whether an address leads to this very machine. */
export const isLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname) || new URL(url).hostname.endsWith(".localhost");

/** Paddle's keys and tokens say by their beginning whose they are. */
const OF_PADDLE = {
  sandbox: { PADDLE_API_KEY: "pdl_sdbx_", PADDLE_CLIENT_TOKEN: "test_" },
  production: { PADDLE_API_KEY: "pdl_live_", PADDLE_CLIENT_TOKEN: "live_" },
} as const;

const paddleFaults = (env: Env): string[] => {
  if (env.PADDLE_API_URL !== undefined) return [];
  const other = env.PADDLE_ENVIRONMENT === "sandbox" ? "production" : "sandbox";
  const names = ["PADDLE_API_KEY", "PADDLE_CLIENT_TOKEN"] as const;
  return names
    .filter((name) => env[name].startsWith(OF_PADDLE[other][name]))
    .map((name) => `${name} is of Paddle's ${other}, but PADDLE_ENVIRONMENT is ${env.PADDLE_ENVIRONMENT}`);
};

const productionFaults = (env: Env): string[] => {
  const faults: string[] = paddleFaults(env);
  if (!["", "0", "false"].includes(env.INNGEST_DEV))
    faults.push("INNGEST_DEV must not be set: it turns signatures off");
  if (isLoopback(env.APP_URL) || env.ALLOW_SANDBOX === "1") return faults;
  if (env.SANDBOX_SERVICES.length > 0) {
    faults.push(
      `SANDBOX_SERVICES names stand-ins (${env.SANDBOX_SERVICES.join(", ")}); set ALLOW_SANDBOX=1 to allow them`,
    );
  }
  if (env.LINK_CHECK_ALLOWED_HOSTS.length > 0) {
    faults.push(
      "LINK_CHECK_ALLOWED_HOSTS opens private addresses to whoever types a link; it is for trials on one machine",
    );
  }
  if (env.GENERATED_SECRETS === "1") {
    faults.push("AUTH_SECRET and ENCRYPTION_KEY were generated; set your own, or ALLOW_SANDBOX=1");
  }
  return faults;
};

type Variables = Record<string, string | undefined>;

const read = <S extends z.ZodType>(schema: S, variables: Variables, check: (env: z.output<S>) => string[]) => {
  const present = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = schema.safeParse(present);
  const faults = parsed.success
    ? check(parsed.data)
    : parsed.error.issues.map((issue) => `${issue.path.slice(0, 1).join(".")}: ${issue.message}`);
  if (!parsed.success || faults.length > 0) {
    throw new Error(`The settings are not complete:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
  }
  return parsed.data;
};

/**
 * Reads settings from a record of variables (DESIGN §4); empty texts count as absent.
 * @throws Error with one line per missing or wrong setting.
 */
export const parseEnv = (variables: Variables): Env => read(settings, variables, productionFaults);

/** The same for what pages show, which asks for no secret. @throws Error like {@link parseEnv} */
export const parsePageEnv = (variables: Variables): PageEnv => read(pageSettings, variables, () => []);

let cached: Env | undefined;
let cachedForPages: PageEnv | undefined;

/** The settings of this process, read once. */
export const env = (): Env => {
  if (cached) return cached;
  cached = parseEnv(process.env);
  // next-auth reads its own variable; this is the one place that sets it.
  process.env.NEXTAUTH_URL = cached.APP_URL;
  return cached;
};

/** The settings that pages show, also while they are built, when there are no others. */
export const pageEnv = (): PageEnv => {
  cachedForPages ??= parsePageEnv(process.env);
  return cachedForPages;
};

/** Where the build lies that this process serves. Known at run time alone: the bundler must not look for it. */
export const buildFolder = (): string =>
  join(/* turbopackIgnore: true */ process.cwd(), process.env.NEXT_DIST_DIR || ".next");

/** Under `npm run dev`, where pages are built while they are asked for. */
export const isDevelopment = (): boolean => process.env.NODE_ENV === "development";
