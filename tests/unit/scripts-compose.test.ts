import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseEnv } from "#lib/env.ts";
import { assertBuilt, bakedSettings, hashOf } from "#scripts/build.ts";
import { catalogItems, sandboxCatalog } from "#scripts/catalog.ts";
import { assertRoleFits, composeSettings, preferredPorts, standInServices } from "#scripts/compose.ts";
import { isPortFree } from "#scripts/ports.ts";
import { inRepository } from "#scripts/root.ts";
import { childSpecs, consoleEntries, localAppUrl } from "#scripts/services.ts";
import { createSecrets, readListening, readSettings } from "#scripts/settings-file.ts";

const compose = (given: Record<string, string>, host = "127.0.0.1") =>
  composeSettings({
    given,
    secrets: createSecrets(),
    ports: preferredPorts,
    host,
    databaseUrl: given.DATABASE_URL ?? "postgres://127.0.0.1/evertack",
    dataDir: "/tmp/evertack",
  });

test("nothing configured: every service has a stand-in, and the app accepts the settings", () => {
  const { env, standIns } = compose({});
  expect(standIns).toEqual(["pinterest", "openai", "google", "paddle", "email", "inngest"]);
  const parsed = parseEnv(env);
  expect(parsed.SANDBOX_SERVICES).toEqual(standIns);
  expect(parsed.GENERATED_SECRETS).toBe("1");
  expect(parsed.RATE_LIMIT_FACTOR).toBe(50);
});

test("a configured service has no stand-in and keeps its settings", () => {
  const { env, standIns } = compose({ OPENAI_API_KEY: "sk-real", SMTP_URL: "smtps://mail.example.com" });
  expect(standIns).toEqual(["pinterest", "google", "paddle", "inngest"]);
  expect(env.OPENAI_API_KEY).toBe("sk-real");
  expect(env.OPENAI_BASE_URL).toBeUndefined();
  expect(env.SMTP_URL).toBe("smtps://mail.example.com");
});

test("the payment stand-in has our catalog and the webhook URL", () => {
  const composition = compose({ APP_URL: "https://pins.example.com/" });
  const environment = {
    composition,
    ports: preferredPorts,
    host: "0.0.0.0",
    dataDir: "/tmp/evertack",
    logFolder: "/tmp/evertack/logs",
    distDir: ".next",
    databaseUrl: "postgres://127.0.0.1/evertack",
    latency: { textMs: 1, imageMs: 1 },
    retryScale: 1,
  };
  const sandbox = childSpecs(environment).find(({ name }) => name === "sandbox");
  expect(sandbox?.args.join(" ")).toContain("--services pinterest,openai,google,paddle,email ");
  const { paddle } = JSON.parse(sandbox?.env.SANDBOX_OPTIONS ?? "{}");
  expect(paddle).toMatchObject({
    port: preferredPorts.paddle,
    apiKey: composition.env.PADDLE_API_KEY,
    clientToken: composition.env.PADDLE_CLIENT_TOKEN,
    webhook: {
      url: `http://127.0.0.1:${preferredPorts.app}/api/webhooks/paddle/`,
      secret: composition.env.PADDLE_WEBHOOK_SECRET,
    },
    checkoutUrl: "https://pins.example.com/pricing",
  });
  expect(paddle.catalog).toHaveLength(31);
  expect(consoleEntries(environment)).toContainEqual(
    expect.objectContaining({ id: "paddle", control: expect.any(String) }),
  );
});

describe("the stand-ins' processes", () => {
  const specsOf = (given: Record<string, string>) => {
    const composition = compose(given);
    const databaseUrl = given.DATABASE_URL ?? "postgres://127.0.0.1/evertack";
    const folders = { dataDir: "/tmp/evertack", logFolder: "/tmp/evertack/logs", distDir: ".next" };
    const rest = { latency: { textMs: 1, imageMs: 1 }, retryScale: 1, hasConsole: true };
    const specs = childSpecs({
      composition,
      ports: preferredPorts,
      host: "127.0.0.1",
      databaseUrl,
      ...folders,
      ...rest,
    });
    return new Map(specs.map((spec) => [spec.name, spec]));
  };
  const real = {
    DATABASE_URL: "postgres://evertack:canary-db@db.example.com/evertack",
    AUTH_SECRET: "canary-auth".repeat(4),
    ENCRYPTION_KEY: "ca".repeat(32),
    METRICS_TOKEN: "canary-metrics-token",
    PINTEREST_APP_ID: "1500001",
    PINTEREST_APP_SECRET: "canary-pinterest",
    OPENAI_API_KEY: "sk-canary-openai",
    PADDLE_API_KEY: "pdl_live_canary",
    PADDLE_CLIENT_TOKEN: "live_canary",
    PADDLE_WEBHOOK_SECRET: "pdl_ntfset_canary",
    SMTP_URL: "smtps://user:canary-mail@mail.example.com",
  };
  const engine = { INNGEST_SIGNING_KEY: `signkey-prod-${"ca".repeat(32)}`, INNGEST_EVENT_KEY: "canary-events" };

  test("with every service configured neither a stand-in nor the console runs", () => {
    expect([...specsOf({ ...real, ...engine }).keys()]).toEqual(["app"]);
  });

  test("the console runs next to a stand-in, without any secret of a configured service", () => {
    for (const given of [real, { ...real, SMTP_URL: "" }, { ...real, ...engine, OPENAI_API_KEY: "" }]) {
      const specs = specsOf(given);
      const sandbox = specs.get("sandbox");
      expect(sandbox?.args.join(" ")).toMatch(/--services (\w+,){0,2}console /);
      expect(JSON.stringify(sandbox)).not.toMatch(/canary|caca/);
      const allowed = ["PATH", "HOME", "LANG", "TMPDIR", "TZ", "NODE_EXTRA_CA_CERTS", "NODE_ENV", "SANDBOX_OPTIONS"];
      expect(Object.keys(sandbox?.env ?? {}).filter((name) => !allowed.includes(name))).toEqual([]);
    }
    // The executor works on the product's database, and knows nothing else.
    const executor = JSON.stringify(specsOf(real).get("executor")).replaceAll("canary-db", "");
    expect(executor).not.toMatch(/canary|caca/);
  });
});

test("a configured Paddle has no stand-in: no process, no console entry, unchanged settings", () => {
  const prices = JSON.stringify(Object.fromEntries(sandboxCatalog().map(({ key, priceId }) => [key, priceId])));
  const given = {
    PADDLE_API_KEY: "pdl_live_apikey_x",
    PADDLE_CLIENT_TOKEN: "live_x",
    PADDLE_WEBHOOK_SECRET: "pdl_ntfset_x",
    PADDLE_PRICES: prices,
  };
  const { env, standIns } = compose(given);
  expect(standIns).not.toContain("paddle");
  expect(env).toMatchObject(given);
  expect([env.PADDLE_API_URL, env.PADDLE_JS_URL]).toEqual([undefined, undefined]);
  expect(parseEnv(env).PADDLE_ENVIRONMENT).toBe("production");
  const mixed = { ...env, PADDLE_CLIENT_TOKEN: "test_x", PADDLE_API_KEY: "pdl_sdbx_apikey_x" };
  expect(() => parseEnv(mixed)).toThrow(
    /PADDLE_API_KEY is for Paddle's sandbox environment, but PADDLE_ENVIRONMENT is production/,
  );
  expect(() => parseEnv(mixed)).toThrow(/PADDLE_CLIENT_TOKEN is for Paddle's sandbox environment/);
  expect(parseEnv({ ...mixed, PADDLE_ENVIRONMENT: "sandbox" }).PADDLE_CLIENT_TOKEN).toBe("test_x");
  expect(() => standInServices({ PADDLE_CLIENT_TOKEN: "live_x" })).toThrow(
    "PADDLE_CLIENT_TOKEN is set but PADDLE_API_KEY is not",
  );
});

test("R-PAY-01 the catalog is the pricing table: 3 plans and 28 packs in whole cents, each pack's four prices one product", () => {
  const all = catalogItems();
  expect(all.filter(({ interval }) => interval === "month").map(({ key, amountMinor }) => [key, amountMinor])).toEqual([
    ["plan:basic", 2_900],
    ["plan:growth", 4_900],
    ["plan:pro", 7_900],
  ]);
  const packs = all.filter(({ interval }) => interval === null);
  expect(packs).toHaveLength(28);
  expect(packs.find(({ key }) => key === "pack:basic:300")).toMatchObject({
    product: { key: "pack:300", name: "300 credits" },
    name: "On the Basic plan",
    amountMinor: 1_500,
  });
  expect(new Set(packs.map(({ product }) => product.key)).size).toBe(7);
  expect(new Set(all.map(({ key }) => key)).size).toBe(31);
});

test("a partially configured service is rejected by name", () => {
  expect(() => standInServices({ PINTEREST_API_URL: "https://api.pinterest.com/v5" })).toThrow(
    "PINTEREST_API_URL is set but PINTEREST_APP_ID is not",
  );
});

test("the local executor works for one process with ROLE=all, an Inngest server for any role", () => {
  const engine = { INNGEST_SIGNING_KEY: "ca".repeat(16), INNGEST_EVENT_KEY: "fe".repeat(16) };
  for (const role of [{}, { ROLE: "all" }] as Record<string, string>[])
    expect(() => assertRoleFits(compose(role))).not.toThrow();
  for (const ROLE of ["web", "worker"]) {
    expect(() => assertRoleFits(compose({ ROLE }))).toThrow(`ROLE=${ROLE} needs an Inngest server`);
    expect(() => assertRoleFits(compose({ ROLE, ...engine }))).not.toThrow();
  }
});

test("trial limits and loopback origins follow APP_URL, never HOST", () => {
  for (const host of ["127.0.0.1", "0.0.0.0"]) {
    const local = compose({}, host).env;
    expect([local.RATE_LIMIT_FACTOR, local.CORS_ORIGINS]).toEqual(["50", "http://127.0.0.1:3000"]);
    for (const APP_URL of ["https://pins.example.com", "https://127.pins.example.com", "pins.example.com"]) {
      const { env } = compose({ APP_URL }, host);
      expect([env.RATE_LIMIT_FACTOR, env.CORS_ORIGINS]).toEqual([undefined, undefined]);
    }
  }
});

describe("the settings of the production guide", () => {
  const guide = readFileSync(inRepository("docs", "guides", "production.md"), "utf8");
  const lines = /\n```sh\n(APP_URL=[\s\S]*?)\n```/.exec(guide)?.[1] ?? "";
  const file = join(mkdtempSync(join(tmpdir(), "guide-")), ".env");
  writeFileSync(file, lines);
  afterAll(() => rmSync(dirname(file), { recursive: true, force: true }));
  const given = readSettings(file, {});
  const { host } = readListening(given, 3000);

  /** Values for each `…` of the guide. */
  const secrets = createSecrets();
  const filled = {
    ...given,
    DATABASE_URL: "postgres://evertack:5f0c7a19@db.example.com:5432/evertack?sslmode=require",
    AUTH_SECRET: secrets.AUTH_SECRET,
    ENCRYPTION_KEY: secrets.ENCRYPTION_KEY,
    PINTEREST_APP_ID: "1500001",
    PINTEREST_APP_SECRET: "c0ffee5f0c7a19d2e84b",
    OPENAI_API_KEY: "sk-proj-1",
    PADDLE_API_KEY: "pdl_live_apikey_1",
    PADDLE_CLIENT_TOKEN: "live_1",
    PADDLE_WEBHOOK_SECRET: secrets.PADDLE_WEBHOOK_SECRET,
    PADDLE_PRICES: JSON.stringify(Object.fromEntries(sandboxCatalog().map(({ key, priceId }) => [key, priceId]))),
    SUPPORT_PHONE: "+44 20 7946 0123",
    POSTAL_ADDRESS: "1 Sample Street, London",
    INNGEST_SIGNING_KEY: secrets.INNGEST_SIGNING_KEY,
    INNGEST_EVENT_KEY: secrets.INNGEST_EVENT_KEY,
    METRICS_TOKEN: secrets.INNGEST_EVENT_KEY,
  };

  test("its exact lines give published limits, no foreign origin and no stand-in", () => {
    expect(host).toBe("127.0.0.1");
    const { env, standIns } = compose(given, host);
    expect(standIns).toEqual([]);
    expect(env).toMatchObject({ APP_URL: "https://pins.example.com", HOST: "127.0.0.1", TRUSTED_PROXIES: "1" });
    expect([env.RATE_LIMIT_FACTOR, env.CORS_ORIGINS, env.GENERATED_SECRETS]).toEqual([undefined, undefined, ""]);
  });

  test("each value that is left as … is named", () => {
    const missing = Object.entries(given).filter(([, value]) => value.includes("…"));
    expect(missing.map(([name]) => name)).toContain("PINTEREST_APP_SECRET");
    for (const [name, value] of missing) {
      const { env } = compose({ ...filled, [name]: value }, host);
      expect(() => parseEnv(env)).toThrow(`${name} still holds a placeholder`);
    }
  });

  test("with values filled in, the server accepts them and counts with the published limits", () => {
    const parsed = parseEnv(compose(filled, host).env);
    expect(parsed).toMatchObject({ RATE_LIMIT_FACTOR: 1, CORS_ORIGINS: [], TRUSTED_PROXIES: 1, SANDBOX_SERVICES: [] });
    expect(Object.keys(filled).sort()).toEqual(Object.keys(given).sort());
  });
});

test("secrets from the operator are not reported as generated", () => {
  const { env } = compose({ AUTH_SECRET: "x".repeat(32), ENCRYPTION_KEY: "0".repeat(64) });
  expect(env.GENERATED_SECRETS).toBe("");
  expect(env.AUTH_SECRET).toBe("x".repeat(32));
});

test.each(["0", "70000", "abc", "3000.5"])("PORT=%s is rejected with a message", (PORT) => {
  expect(() => readListening({ PORT }, 3000)).toThrow("PORT must be a number from 1 to 65535");
});

test("variables of npm and of this process are not settings; an empty value counts as unset", () => {
  const read = readSettings("/nowhere/.env", {
    npm_config_x: "1",
    NODE_ENV: "test",
    SOME_SHELL_TOKEN: "secret",
    HOME: "/root",
    SMTP_URL: "",
    PORT: "4000",
    AWS_ACCESS_KEY_ID: "of a bucket",
  });
  expect(read).toEqual({ PORT: "4000", AWS_ACCESS_KEY_ID: "of a bucket" });
});

test("another loopback port needs no new build, another public URL does", () => {
  expect(bakedSettings({ APP_URL: "http://127.0.0.1:4000" })).toEqual(bakedSettings({}));
  expect(bakedSettings({ APP_URL: "https://pins.example.com" })).not.toEqual(bakedSettings({}));
  expect(bakedSettings({ PRODUCT_NAME: "Tackle" })).not.toEqual(bakedSettings({}));
});

test("an instance refuses to start without a build, or with one whose pages show other settings", () => {
  const distDir = join(".test", `build-${process.pid}`);
  const folder = inRepository(distDir);
  expect(() => assertBuilt(distDir, {})).toThrow("There is no build. Run: npm run build");
  mkdirSync(folder, { recursive: true });
  try {
    const built = bakedSettings({ APP_URL: "https://pins.example.com", SUPPORT_EMAIL: "help@example.com" });
    writeFileSync(join(folder, "settings.json"), JSON.stringify(built));
    assertBuilt(distDir, { ...built, ROLE: "worker", AUTH_SECRET: "other" });
    const other = { APP_URL: "https://pins.example.com", PRODUCT_NAME: "Tackle" };
    expect(() => assertBuilt(distDir, other)).toThrow(
      /PRODUCT_NAME is Tackle, but not set in the build\n {2}SUPPORT_EMAIL is not set, but help@example.com in the build/,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a build with another key for server actions is another build", () => {
  const folder = mkdtempSync(join(tmpdir(), "sources-"));
  try {
    expect(hashOf(folder, { NEXT_SERVER_ACTIONS_ENCRYPTION_KEY: "a" })).not.toBe(hashOf(folder, {}));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each([
  ["127.0.0.1", "http://127.0.0.1:3000"],
  ["0.0.0.0", "http://127.0.0.1:3000"],
  ["::", "http://127.0.0.1:3000"],
  ["::1", "http://[::1]:3000"],
  ["192.168.1.5", "http://192.168.1.5:3000"],
  ["localhost", "http://localhost:3000"],
])("with HOST=%s the app is reachable on this machine at %s", (host, address) => {
  expect(localAppUrl({ ports: { ...preferredPorts, app: 3000 }, host })).toBe(address);
});

test("a HOST of another machine is rejected with a message", async () => {
  await expect(isPortFree(0, "203.0.113.9")).rejects.toThrow(
    'HOST must be an address of this machine, not "203.0.113.9".',
  );
});
