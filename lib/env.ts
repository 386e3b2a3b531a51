import "server-only";
import { z } from "zod";

const SAMPLE = {
  phone: "+44 20 7946 0123",
  email: "support@example.com",
  address: "1 Sample Street, London EC1A 1AA, United Kingdom",
};

const httpUrl = z.url({ protocol: /^https?$/ }).transform((value) => value.replace(/\/+$/, ""));
const list = z
  .string()
  .default("")
  .transform((value) =>
    value
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean),
  );

const key = z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal characters (32 bytes)");

const settings = z.object({
  APP_URL: httpUrl,
  PRODUCT_NAME: z.string().min(1).max(40).default("Evertack"),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
  AUTH_SECRET: z.string().min(32, "must have at least 32 characters"),
  ENCRYPTION_KEY: list.pipe(z.array(key).min(1, "needs at least one key")),
  CORS_ORIGINS: list.pipe(z.array(z.url().transform((value) => new URL(value).origin))),
  TRUSTED_PROXIES: z.coerce.number().int().min(0).max(10).default(0),
  RATE_LIMIT_FACTOR: z.coerce.number().positive().default(1),
  PINTEREST_APP_ID: z.string().min(1),
  PINTEREST_APP_SECRET: z.string().min(1),
  PINTEREST_API_URL: httpUrl.default("https://api.pinterest.com/v5"),
  PINTEREST_OAUTH_URL: z.url({ protocol: /^https?$/ }).default("https://www.pinterest.com/oauth/"),
  PINTEREST_WEB_URL: httpUrl.default("https://www.pinterest.com"),
  OPENAI_API_KEY: z.string().min(1),
  OPENAI_BASE_URL: httpUrl.default("https://api.openai.com/v1"),
  OPENAI_TEXT_MODEL: z.string().min(1).default("gpt-5.4-mini"),
  OPENAI_IMAGE_MODEL: z.string().min(1).default("gpt-image-2"),
  OPENAI_IMAGE_CONCURRENCY: z.coerce.number().int().min(1).max(500).default(8),
  PIN_CANVAS: z.enum(["1080x1680", "1000x1500"]).default("1080x1680"),
  SMTP_URL: z.url({ protocol: /^smtps?$/ }),
  MAIL_FROM: z.string().min(3),
  SUPPORT_EMAIL: z.email().default(SAMPLE.email),
  SUPPORT_PHONE: z.string().min(3).default(SAMPLE.phone),
  POSTAL_ADDRESS: z.string().min(3).default(SAMPLE.address),
  STORAGE_URL: z.string().regex(/^file:./, "must begin with file:"),
  INNGEST_BASE_URL: httpUrl.optional(),
  INNGEST_EVENT_KEY: z.string().min(1),
  INNGEST_SIGNING_KEY: z.string().regex(/^(signkey-\w+-)?([0-9a-f]{2})+$/, "must be hexadecimal"),
  INNGEST_DEV: z.string().default(""),
  SANDBOX_SERVICES: list,
  GENERATED_SECRETS: z.enum(["", "1"]).default(""),
  ALLOW_SANDBOX: z.enum(["", "0", "1"]).default(""),
});

/** The names of all settings, as `.env.example` explains them. */
export const settingNames: readonly string[] = Object.keys(settings.shape);

export type Env = z.output<typeof settings>;

const isLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname) || new URL(url).hostname.endsWith(".localhost");

const productionFaults = (env: Env): string[] => {
  const faults: string[] = [];
  if (!["", "0", "false"].includes(env.INNGEST_DEV))
    faults.push("INNGEST_DEV must not be set: it turns signatures off");
  if (isLoopback(env.APP_URL) || env.ALLOW_SANDBOX === "1") return faults;
  if (env.SANDBOX_SERVICES.length > 0) {
    faults.push(
      `SANDBOX_SERVICES names stand-ins (${env.SANDBOX_SERVICES.join(", ")}); set ALLOW_SANDBOX=1 to allow them`,
    );
  }
  if (env.GENERATED_SECRETS === "1") {
    faults.push("AUTH_SECRET and ENCRYPTION_KEY were generated; set your own, or ALLOW_SANDBOX=1");
  }
  return faults;
};

/**
 * Reads settings from a record of variables (DESIGN §4); empty texts count as absent.
 * @throws Error with one line per missing or wrong setting.
 */
export const parseEnv = (variables: Record<string, string | undefined>): Env => {
  const present = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = settings.safeParse(present);
  const faults = parsed.success
    ? productionFaults(parsed.data)
    : parsed.error.issues.map((issue) => `${issue.path.slice(0, 1).join(".")}: ${issue.message}`);
  if (!parsed.success || faults.length > 0) {
    throw new Error(`The settings are not complete:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
  }
  return parsed.data;
};

let cached: Env | undefined;

/** The settings of this process, read once. */
export const env = (): Env => {
  cached ??= parseEnv(process.env);
  // next-auth reads its own variable; this is the one place that sets it.
  process.env.NEXTAUTH_URL = cached.APP_URL;
  return cached;
};
