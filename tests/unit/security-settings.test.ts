import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { parseEnv } from "#lib/env.ts";
import { sandboxPrices } from "#scripts/catalog.ts";
import { createSecrets } from "#scripts/settings-file.ts";

const complete = {
  APP_URL: "http://localhost:3000",
  DATABASE_URL: "postgres://u:p@127.0.0.1:5432/x",
  PINTEREST_APP_ID: "1",
  PINTEREST_APP_SECRET: "s",
  OPENAI_API_KEY: "k",
  SMTP_URL: "smtp://127.0.0.1:25",
  MAIL_FROM: "A <a@example.com>",
  STORAGE_URL: "file:.data/storage",
  PADDLE_API_KEY: "pdl_key",
  PADDLE_CLIENT_TOKEN: "live_token",
  PADDLE_PRICES: JSON.stringify(sandboxPrices()),
};

/** As `openssl rand -hex` prints them. */
const RANDOM_SECRETS = {
  AUTH_SECRET: "9f1c7be02d4a86f35ce97d10ab48e6235b7f90c1d2e84a6f",
  ENCRYPTION_KEY: "3e9a71c4f05d8b26e7f1940ac85d3b6e12f7c09ab4d86e513f2a97c0e84b1d65",
  INNGEST_SIGNING_KEY: "signkey-prod-b58d03f7a1e94c62d70f8ab3165ce92f4d8a7c01be53f69a2708d4c1f6e3b95a",
  INNGEST_EVENT_KEY: "4c9e1f7a02bd856338e0a9d1c75f64b2",
  PADDLE_WEBHOOK_SECRET: "pdl_ntfset_01hq7v2x9c4m8n6b3z5k1j0gwd_Xk29vLq8RtYp3mNcZ7aWfB5hJd0sGe4u",
};

test("a public APP_URL must be https, also for a demo", () => {
  const plain = { ...complete, ...RANDOM_SECRETS, APP_URL: "http://pins.example.com" };
  expect(() => parseEnv(plain)).toThrow(/APP_URL must begin with https/);
  expect(() => parseEnv({ ...plain, ALLOW_SANDBOX: "1" })).toThrow(/APP_URL must begin with https/);
  expect(() => parseEnv({ ...plain, APP_URL: "http://192.168.1.5:3000" })).toThrow(/APP_URL must begin with https/);
  expect(parseEnv({ ...plain, APP_URL: "https://pins.example.com" }).APP_URL).toBe("https://pins.example.com");
});

test.each(["0.0.0.0", "::", "192.168.1.5"])("HOST=%s with stand-ins needs ALLOW_SANDBOX", (HOST) => {
  const reachable = { ...complete, ...RANDOM_SECRETS, HOST, SANDBOX_SERVICES: "pinterest", GENERATED_SECRETS: "1" };
  expect(() => parseEnv(reachable)).toThrow(/SANDBOX_SERVICES.*HOST=.*ALLOW_SANDBOX=1[\s\S]*generated.*HOST=/);
  expect(parseEnv({ ...reachable, ALLOW_SANDBOX: "1" }).HOST).toBe(HOST);
  expect(parseEnv({ ...reachable, SANDBOX_SERVICES: "", GENERATED_SECRETS: "" }).HOST).toBe(HOST);
  expect(parseEnv({ ...reachable, HOST: "127.0.0.1" }).HOST).toBe("127.0.0.1");
});

test.each([
  ["AUTH_SECRET", "x".repeat(40)],
  ["AUTH_SECRET", "changeme-changeme-changeme-changeme"],
  ["AUTH_SECRET", "0123456789abcdef0123456789abcdef"],
  ["AUTH_SECRET", "your-super-secret-auth-key-for-production"],
  ["ENCRYPTION_KEY", "0".repeat(64)],
  ["ENCRYPTION_KEY", `${RANDOM_SECRETS.ENCRYPTION_KEY},${"deadbeef".repeat(8)}`],
  ["INNGEST_SIGNING_KEY", `signkey-prod-${"ab".repeat(32)}`],
  ["INNGEST_EVENT_KEY", "test"],
  ["METRICS_TOKEN", "metrics-token-123456"],
  ["PADDLE_WEBHOOK_SECRET", "pdl_ntfset_01h2x3"],
])("in production %s=%s is too easy to guess", (name, value) => {
  const production = { ...complete, ...RANDOM_SECRETS, APP_URL: "https://evertack.example" };
  expect(() => parseEnv({ ...production, [name]: value })).toThrow(`${name} is too easy to guess`);
  expect(() => parseEnv({ ...production, [name]: value, ALLOW_SANDBOX: "1" })).toThrow(`${name} is too easy`);
  expect(() => parseEnv(production)).not.toThrow();
});

const issued = () => {
  const { AUTH_SECRET, ENCRYPTION_KEY, INNGEST_EVENT_KEY, INNGEST_SIGNING_KEY, PADDLE_WEBHOOK_SECRET } =
    createSecrets();
  return { AUTH_SECRET, ENCRYPTION_KEY, INNGEST_EVENT_KEY, INNGEST_SIGNING_KEY, PADDLE_WEBHOOK_SECRET };
};

test("random secrets of every documented format are never refused", () => {
  const production = { ...complete, APP_URL: "https://evertack.example", ALLOW_SANDBOX: "1" };
  for (let round = 0; round < 300; round += 1) {
    const METRICS_TOKEN = createHash("sha256").update(`metrics ${round}`).digest("hex").slice(0, 48);
    expect(() => parseEnv({ ...production, ...issued(), METRICS_TOKEN })).not.toThrow();
  }
  for (let round = 0; round < 300; round += 1) {
    const bytes = createHash("sha256").update(`auth ${round}`).digest();
    for (const AUTH_SECRET of [bytes.toString("base64"), bytes.toString("hex").slice(0, 32)])
      expect(() => parseEnv({ ...production, ...issued(), AUTH_SECRET })).not.toThrow();
  }
});
