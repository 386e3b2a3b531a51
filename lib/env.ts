import "server-only";
import { join } from "node:path";
import type { z } from "zod";
import { pageSettings, settings } from "./env-schema.ts";

export type Env = z.output<typeof settings>;
export type PageEnv = z.output<typeof pageSettings>;

export const isLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname) || new URL(url).hostname.endsWith(".localhost");

/** Prefixes of Paddle's keys and tokens by environment. */
const PADDLE_PREFIXES = {
  sandbox: { PADDLE_API_KEY: "pdl_sdbx_", PADDLE_CLIENT_TOKEN: "test_" },
  production: { PADDLE_API_KEY: "pdl_live_", PADDLE_CLIENT_TOKEN: "live_" },
} as const;

const paddleProblems = (env: Env): string[] => {
  if (env.PADDLE_API_URL !== undefined) return [];
  const other = env.PADDLE_ENVIRONMENT === "sandbox" ? "production" : "sandbox";
  const names = ["PADDLE_API_KEY", "PADDLE_CLIENT_TOKEN"] as const;
  return names
    .filter((name) => env[name].startsWith(PADDLE_PREFIXES[other][name]))
    .map((name) => `${name} is for Paddle's ${other} environment, but PADDLE_ENVIRONMENT is ${env.PADDLE_ENVIRONMENT}`);
};

const productionProblems = (env: Env): string[] => {
  const problems: string[] = paddleProblems(env);
  if (!["", "0", "false"].includes(env.INNGEST_DEV))
    problems.push("INNGEST_DEV must not be set, because it turns off signatures");
  if (isLoopback(env.APP_URL) || env.ALLOW_SANDBOX === "1") return problems;
  if (env.SANDBOX_SERVICES.length > 0) {
    problems.push(
      `SANDBOX_SERVICES lists stand-ins (${env.SANDBOX_SERVICES.join(", ")}); set ALLOW_SANDBOX=1 to allow them`,
    );
  }
  if (env.LINK_CHECK_ALLOWED_HOSTS.length > 0) {
    problems.push(
      "LINK_CHECK_ALLOWED_HOSTS opens private addresses to anyone who types a link; use it only for trials on one machine",
    );
  }
  if (env.GENERATED_SECRETS === "1") {
    problems.push("AUTH_SECRET and ENCRYPTION_KEY were generated; set your own, or ALLOW_SANDBOX=1");
  }
  return problems;
};

type Variables = Record<string, string | undefined>;

const read = <S extends z.ZodType>(schema: S, variables: Variables, check: (env: z.output<S>) => string[]) => {
  const present = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = schema.safeParse(present);
  const problems = parsed.success
    ? check(parsed.data)
    : parsed.error.issues.map((issue) => `${issue.path.slice(0, 1).join(".")}: ${issue.message}`);
  if (!parsed.success || problems.length > 0) {
    throw new Error(`The settings are incomplete:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
  }
  return parsed.data;
};

/** Reads the settings; empty values count as missing. @throws Error with one line per missing or invalid setting. */
export const parseEnv = (variables: Variables): Env => read(settings, variables, productionProblems);

/** Reads the settings that pages show, without secrets. @throws Error like {@link parseEnv} */
export const parsePageEnv = (variables: Variables): PageEnv => read(pageSettings, variables, () => []);

let cached: Env | undefined;
let cachedForPages: PageEnv | undefined;

export const env = (): Env => {
  if (cached) return cached;
  cached = parseEnv(process.env);
  // next-auth reads its own variable, which is set only here.
  process.env.NEXTAUTH_URL = cached.APP_URL;
  return cached;
};

export const pageEnv = (): PageEnv => {
  cachedForPages ??= parsePageEnv(process.env);
  return cachedForPages;
};

/** The folder of the build that this process serves, which the bundler must not resolve. */
export const buildFolder = (): string =>
  join(/* turbopackIgnore: true */ process.cwd(), process.env.NEXT_DIST_DIR || ".next");

export const isDevelopment = (): boolean => process.env.NODE_ENV === "development";
