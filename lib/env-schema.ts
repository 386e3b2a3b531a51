import { z } from "zod";

// No values here, so this file may be read where "server-only" may not: by scripts, and by the tests' own setup.

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

/** What pages show of the operator. Static pages carry it for good, so a build needs these and no secret (STACK 19). */
export const pageSettings = z.object({
  APP_URL: httpUrl,
  PRODUCT_NAME: z.string().min(1).max(40).default("Evertack"),
  SUPPORT_EMAIL: z.email().default(SAMPLE.email),
  SUPPORT_PHONE: z.string().min(3).default(SAMPLE.phone),
  POSTAL_ADDRESS: z.string().min(3).default(SAMPLE.address),
  AD_PIXEL_ID: z
    .string()
    .regex(/^\d{5,20}$/, "must be the number of a Meta pixel")
    .optional(),
});

/** Every setting with its form and its default (DESIGN §4). */
export const settings = pageSettings.extend({
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
  PINTEREST_TIMEOUT_SECONDS: z.coerce.number().int().min(1).max(60).optional(),
  OPENAI_API_KEY: z.string().min(1),
  OPENAI_BASE_URL: httpUrl.default("https://api.openai.com/v1"),
  OPENAI_TEXT_MODEL: z.string().min(1).default("gpt-5.4-mini"),
  OPENAI_IMAGE_MODEL: z.string().min(1).default("gpt-image-2"),
  OPENAI_IMAGE_CONCURRENCY: z.coerce.number().int().min(1).max(500).default(8),
  PIN_CANVAS: z.enum(["1080x1680", "1000x1500"]).default("1080x1680"),
  SMTP_URL: z.url({ protocol: /^smtps?$/ }),
  MAIL_FROM: z.string().min(3),
  STORAGE_URL: z.string().regex(/^file:./, "must begin with file:"),
  INNGEST_BASE_URL: httpUrl.optional(),
  INNGEST_EVENT_KEY: z.string().min(1),
  INNGEST_SIGNING_KEY: z.string().regex(/^(signkey-\w+-)?([0-9a-f]{2})+$/, "must be hexadecimal"),
  INNGEST_DEV: z.string().default(""),
  METRICS_TOKEN: z.string().min(16, "must have at least 16 characters").optional(),
  SANDBOX_SERVICES: list,
  GENERATED_SECRETS: z.enum(["", "1"]).default(""),
  ALLOW_SANDBOX: z.enum(["", "0", "1"]).default(""),
});

/** The names of all settings, as `.env.example` explains them. */
export const settingNames: readonly string[] = Object.keys(settings.shape);

/** The names of the settings that a build bakes into its pages. */
export const pageSettingNames: readonly string[] = Object.keys(pageSettings.shape);
