import { z } from "zod";
import { PRICE_KEYS } from "#lib/features/billing/plans.ts";
import { ROLES } from "./core/roles.ts";
import { parseStorageUrl } from "./core/storage-url.ts";

// No values here, so that scripts and the test setup, where "server-only" is not allowed, can import this file.

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

const missingPrices = (prices: Readonly<Record<string, readonly string[]>>): string[] =>
  PRICE_KEYS.filter((name) => !prices[name]);

const priceId = z.string().regex(/^pri_[a-z\d]{26}$/, "must contain price IDs (pri_ and 26 characters)");
/** An id, or several: the first is sold, the others were sold earlier and may still be paid. */
const idsOfPrice = z
  .union([priceId, z.array(priceId).min(1, "must contain price IDs")])
  .transform((value): readonly string[] => [value].flat());

const readJson = (value: string, context: z.core.$RefinementCtx<string>): unknown => {
  try {
    return JSON.parse(value);
  } catch {
    context.addIssue({ code: "custom", message: "must be JSON, as npm run paddle:setup prints it" });
    return z.NEVER;
  }
};

const priceIds = z
  .string()
  .transform(readJson)
  .pipe(z.record(z.string(), idsOfPrice))
  .superRefine((value, context) => {
    const missing = missingPrices(value);
    if (missing.length > 0) context.addIssue({ code: "custom", message: `is missing ${missing.join(", ")}` });
    const ids = Object.values(value).flat();
    if (new Set(ids).size < ids.length) context.addIssue({ code: "custom", message: "lists the same price twice" });
  });

const hostPort = z.string().regex(/^[^\s:/]+:\d{1,5}$/, "must be host:port");
const nameServer = z
  .string()
  .regex(/^(\d{1,3}(\.\d{1,3}){3}(:\d{1,5})?|\[[\da-f:.]+\](:\d{1,5})?)$/i, "must be an IP address, or [address]:port");

const key = z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal characters (32 bytes)");

/** The operator's details on pages. Static pages contain them, so a build needs these settings and no secrets. */
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
  /** Pages offer sign-in with Google if it is set. */
  GOOGLE_CLIENT_ID: z.string().min(1).optional(),
});

export const settings = pageSettings.extend({
  HOST: z.string().default("127.0.0.1"),
  ROLE: z.enum(ROLES).default("all"),
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
  PINTEREST_ANALYTICS_CACHE_HOURS: z.coerce.number().int().min(0).max(24).default(24),
  PINTEREST_RELATED_TERMS: z.enum(["on", "off"]).default("off"),
  OPENAI_API_KEY: z.string().min(1),
  OPENAI_BASE_URL: httpUrl.default("https://api.openai.com/v1"),
  OPENAI_TEXT_MODEL: z.string().min(1).default("gpt-5.4-mini"),
  OPENAI_IMAGE_MODEL: z.string().min(1).default("gpt-image-2"),
  OPENAI_IMAGE_CONCURRENCY: z.coerce.number().int().min(1).max(500).default(8),
  PIN_CANVAS: z.enum(["1080x1680", "1000x1500"]).default("1080x1680"),
  GOOGLE_CLIENT_SECRET: z.string().min(1).optional(),
  GOOGLE_ISSUER: httpUrl.default("https://accounts.google.com"),
  PADDLE_API_KEY: z.string().min(1),
  PADDLE_API_URL: httpUrl.optional(),
  PADDLE_ENVIRONMENT: z.enum(["sandbox", "production"]).default("production"),
  PADDLE_CLIENT_TOKEN: z.string().min(1),
  PADDLE_WEBHOOK_SECRET: list.pipe(z.array(z.string().min(8)).min(1, "needs at least one secret")),
  PADDLE_PRICES: priceIds,
  PADDLE_JS_URL: z.url({ protocol: /^https?$/ }).optional(),
  SMTP_URL: z.url({ protocol: /^smtps?$/ }),
  MAIL_FROM: z.string().min(3),
  STORAGE_URL: z
    .string()
    .refine(
      (value) => parseStorageUrl(value) !== null,
      "must be file:/folder or s3://bucket?region=…&endpoint=https://…",
    ),
  INNGEST_BASE_URL: httpUrl.optional(),
  INNGEST_EVENT_KEY: z.string().min(1),
  INNGEST_SIGNING_KEY: z.string().regex(/^(signkey-\w+-)?([0-9a-f]{2})+$/, "must be hexadecimal"),
  INNGEST_DEV: z.string().default(""),
  LINK_CHECK_ALLOWED_HOSTS: list.pipe(z.array(hostPort)),
  LINK_CHECK_NAME_SERVERS: list.pipe(z.array(nameServer)),
  METRICS_TOKEN: z.string().min(16, "must have at least 16 characters").optional(),
  SANDBOX_SERVICES: list,
  GENERATED_SECRETS: z.enum(["", "1"]).default(""),
  ALLOW_SANDBOX: z.enum(["", "0", "1"]).default(""),
});

export const settingNames: readonly string[] = Object.keys(settings.shape);

export const pageSettingNames: readonly string[] = Object.keys(pageSettings.shape);
