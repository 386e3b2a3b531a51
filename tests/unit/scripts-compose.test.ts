import { expect, test } from "vitest";
import { parseEnv } from "#lib/env.ts";
import { bakedIn } from "#scripts/build.ts";
import { composeSettings, missingServices, preferredPorts } from "#scripts/compose.ts";
import { isPortFree } from "#scripts/ports.ts";
import { createSecrets } from "#scripts/secrets.ts";
import { localAppUrl } from "#scripts/services.ts";
import { readListening, readSettings } from "#scripts/settings-file.ts";

const compose = (given: Record<string, string>, host = "127.0.0.1") =>
  composeSettings({
    given,
    secrets: createSecrets(),
    ports: preferredPorts,
    host,
    databaseUrl: "postgres://127.0.0.1/evertack",
    dataDir: "/tmp/evertack",
  });

test("D4 nothing configured: every service is played, and the app accepts the settings", () => {
  const { env, standIns } = compose({});
  expect(standIns).toEqual(["pinterest", "openai", "mail", "inngest"]);
  const parsed = parseEnv(env);
  expect(parsed.SANDBOX_SERVICES).toEqual(standIns);
  expect(parsed.GENERATED_SECRETS).toBe("1");
  expect(parsed.RATE_LIMIT_FACTOR).toBe(50);
});

test("D4 a configured service is not played and keeps its settings", () => {
  const { env, standIns } = compose({ OPENAI_API_KEY: "sk-real", SMTP_URL: "smtps://mail.example.com" });
  expect(standIns).toEqual(["pinterest", "inngest"]);
  expect(env.OPENAI_API_KEY).toBe("sk-real");
  expect(env.OPENAI_BASE_URL).toBeUndefined();
  expect(env.SMTP_URL).toBe("smtps://mail.example.com");
});

test("a service half configured is refused by name", () => {
  expect(() => missingServices({ PINTEREST_API_URL: "https://api.pinterest.com/v5" })).toThrow(
    "PINTEREST_API_URL is set but PINTEREST_APP_ID is not",
  );
});

test("limits stay as published when others can reach the app", () => {
  expect(compose({}, "0.0.0.0").env.RATE_LIMIT_FACTOR).toBeUndefined();
});

test("secrets given by the operator are not called generated", () => {
  const { env } = compose({ AUTH_SECRET: "x".repeat(32), ENCRYPTION_KEY: "0".repeat(64) });
  expect(env.GENERATED_SECRETS).toBe("");
  expect(env.AUTH_SECRET).toBe("x".repeat(32));
});

test.each(["0", "70000", "abc", "3000.5"])("PORT=%s is refused in one sentence", (PORT) => {
  expect(() => readListening({ PORT }, 3000)).toThrow("PORT must be a number from 1 to 65535");
});

test("the environment of npm and of this process is no setting, an empty value counts as absent", () => {
  const read = readSettings("/nowhere/.env", {
    npm_config_x: "1",
    NODE_ENV: "test",
    SOME_SHELL_TOKEN: "secret",
    HOME: "/root",
    SMTP_URL: "",
    PORT: "4000",
  });
  expect(read).toEqual({ PORT: "4000" });
});

test("another loopback port needs no new build, another public address does", () => {
  expect(bakedIn({ APP_URL: "http://127.0.0.1:4000" })).toEqual(bakedIn({}));
  expect(bakedIn({ APP_URL: "https://pins.example.com" })).not.toEqual(bakedIn({}));
  expect(bakedIn({ PRODUCT_NAME: "Tackle" })).not.toEqual(bakedIn({}));
});

test.each([
  ["127.0.0.1", "http://127.0.0.1:3000"],
  ["0.0.0.0", "http://127.0.0.1:3000"],
  ["::", "http://127.0.0.1:3000"],
  ["::1", "http://[::1]:3000"],
  ["192.168.1.5", "http://192.168.1.5:3000"],
  ["localhost", "http://localhost:3000"],
])("with HOST=%s the machine itself reaches the app at %s", (host, address) => {
  expect(localAppUrl({ ports: { ...preferredPorts, app: 3000 }, host })).toBe(address);
});

test("a HOST that is not this machine's is refused in one sentence", async () => {
  await expect(isPortFree(0, "203.0.113.9")).rejects.toThrow(
    'HOST must be an address of this machine, not "203.0.113.9".',
  );
});
