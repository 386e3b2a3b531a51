import "server-only";
import { join } from "node:path";
import type { z } from "zod";
import { isLoopbackHost, isLoopbackUrl } from "./core/loopback.ts";
import { guessingBits } from "./core/secret-strength.ts";
import { pageSettings, settingNames, settings } from "./env-schema.ts";

export type Env = z.output<typeof settings>;
type PageEnv = z.output<typeof pageSettings>;

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

const OWN_SECRET = "use a random one, such as the output of: openssl rand -hex 32";
const ISSUED_SECRET = "copy the one that the service issued";

/** Bits that a secret must have. Random ones in their documented format have more. */
const SECRETS: readonly { name: keyof Env; prefix?: RegExp; bits: number; advice: string }[] = [
  { name: "AUTH_SECRET", bits: 75, advice: OWN_SECRET },
  { name: "ENCRYPTION_KEY", bits: 180, advice: OWN_SECRET },
  { name: "METRICS_TOKEN", bits: 28, advice: OWN_SECRET },
  { name: "INNGEST_SIGNING_KEY", prefix: /^signkey-\w+-/, bits: 75, advice: OWN_SECRET },
  { name: "INNGEST_EVENT_KEY", bits: 28, advice: OWN_SECRET },
  { name: "PADDLE_WEBHOOK_SECRET", prefix: /^pdl_ntfset_/, bits: 28, advice: ISSUED_SECRET },
];

const secretProblems = (env: Env): string[] =>
  SECRETS.filter(({ name, prefix = /^/, bits }) =>
    [env[name] ?? []].flat().some((secret) => guessingBits(String(secret).replace(prefix, "")) < bits),
  ).map(({ name, advice }) => `${name} is too easy to guess; ${advice}`);

/** What must not be reachable by others, unless ALLOW_SANDBOX permits it. */
const sandboxProblems = (env: Env): string[] => {
  const problems: string[] = [];
  const where = isLoopbackUrl(env.APP_URL) ? `with HOST=${env.HOST} others can reach this server; ` : "";
  if (env.SANDBOX_SERVICES.length > 0) {
    const names = env.SANDBOX_SERVICES.join(", ");
    problems.push(`SANDBOX_SERVICES lists stand-ins (${names}); ${where}set ALLOW_SANDBOX=1 to allow them`);
  }
  if (env.LINK_CHECK_ALLOWED_HOSTS.length > 0) {
    problems.push(
      "LINK_CHECK_ALLOWED_HOSTS opens private addresses to anyone who types a link; use it only for trials on one machine",
    );
  }
  if (env.GENERATED_SECRETS === "1") {
    problems.push(`AUTH_SECRET and ENCRYPTION_KEY were generated; ${where}set your own, or ALLOW_SANDBOX=1`);
  }
  return problems;
};

const googleProblems = (env: Env): string[] =>
  env.GOOGLE_CLIENT_ID && !env.GOOGLE_CLIENT_SECRET ? ["GOOGLE_CLIENT_ID needs GOOGLE_CLIENT_SECRET"] : [];

const productionProblems = (env: Env): string[] => {
  const problems: string[] = [...paddleProblems(env), ...googleProblems(env)];
  if (!["", "0", "false"].includes(env.INNGEST_DEV))
    problems.push("INNGEST_DEV must not be set, because it turns off signatures");
  const isPublic = !isLoopbackUrl(env.APP_URL);
  if (!isPublic && isLoopbackHost(env.HOST)) return problems;
  if (isPublic && !env.APP_URL.startsWith("https:")) {
    problems.push(`APP_URL must begin with https://, because logins cross the network: ${env.APP_URL}`);
  }
  if (env.GOOGLE_CLIENT_ID && !env.GOOGLE_ISSUER.startsWith("https:") && env.ALLOW_SANDBOX !== "1") {
    problems.push(`GOOGLE_ISSUER must begin with https://: ${env.GOOGLE_ISSUER}`);
  }
  return [...problems, ...secretProblems(env), ...(env.ALLOW_SANDBOX === "1" ? [] : sandboxProblems(env))];
};

type Variables = Record<string, string | undefined>;

/** The guides write `…` where a value belongs. */
const placeholders = (variables: Variables): string[] =>
  settingNames
    .filter((name) => !["PRODUCT_NAME", "MAIL_FROM"].includes(name) && variables[name]?.includes("…"))
    .map((name) => `${name} still holds a placeholder (…)`);

const read = <S extends z.ZodType>(schema: S, variables: Variables, check: (env: z.output<S>) => string[]) => {
  const present = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = schema.safeParse(present);
  const wrong = parsed.success
    ? check(parsed.data)
    : parsed.error.issues.map((issue) => `${issue.path.slice(0, 1).join(".")}: ${issue.message}`);
  const problems = [...placeholders(present), ...wrong];
  if (!parsed.success || problems.length > 0) {
    throw new Error(`Fix these settings:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
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
