import { existsSync, readFileSync } from "node:fs";
import { parseEnv as parseEnvFile } from "node:util";
import { describe, expect, test } from "vitest";
import { parseEnv } from "#lib/env.ts";
import { pageSettingNames, settingNames } from "#lib/env-schema.ts";
import { sandboxPrices } from "#scripts/catalog.ts";
import { preferredPorts } from "#scripts/compose.ts";
import { inRepository } from "#scripts/root.ts";
import { createSecrets } from "#scripts/settings-file.ts";
import { interpolate, parseCompose, variablesIn } from "#tests/support/compose-file.ts";

const read = (...path: string[]) => readFileSync(inRepository(...path), "utf8");
const yaml = read("compose.yaml");
const file = parseCompose(yaml);
const services = Object.entries(file.services);
const dockerfile = read("Dockerfile");

/** The settings of a service when Compose has these variables. */
const environmentOf = (name: string, given: Partial<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(file.services[name]?.environment ?? {}).map(([key, value]) => [key, interpolate(value, given)]),
  );

const secrets = createSecrets();
/** What an operator puts into .env. */
const production = {
  APP_URL: "https://pins.example.com",
  SITE: "pins.example.com",
  SUPPORT_PHONE: "+44 20 7946 0123",
  POSTAL_ADDRESS: "1 Sample Street, London",
  SUPPORT_EMAIL: "support@example.com",
  POSTGRES_PASSWORD: "5f0c7a19",
  MINIO_PASSWORD: "5f0c7a19",
  AUTH_SECRET: secrets.AUTH_SECRET,
  ENCRYPTION_KEY: secrets.ENCRYPTION_KEY,
  PINTEREST_APP_ID: "1500001",
  PINTEREST_APP_SECRET: "c0ffee5f0c7a19d2e84b",
  OPENAI_API_KEY: "sk-proj-1",
  PADDLE_API_KEY: "pdl_live_apikey_1",
  PADDLE_CLIENT_TOKEN: "live_1",
  PADDLE_WEBHOOK_SECRET: secrets.PADDLE_WEBHOOK_SECRET,
  PADDLE_PRICES: JSON.stringify(sandboxPrices()),
  SMTP_URL: "smtps://user:password@smtp.example.com",
  MAIL_FROM: "Evertack <hello@example.com>",
  INNGEST_SIGNING_KEY: secrets.INNGEST_SIGNING_KEY.replace("signkey-local-", ""),
  INNGEST_EVENT_KEY: secrets.INNGEST_EVENT_KEY,
};

describe("compose.yaml", () => {
  test("starts two instances of one image behind the proxy, and everything that they need", () => {
    expect(services.map(([name]) => name).sort()).toEqual(
      ["app1", "app2", "bucket", "inngest", "minio", "postgres", "proxy", "redis", "stand-ins"].sort(),
    );
    expect(file.services.app1).toEqual(file.services.app2);
    expect(Object.keys(file.services.proxy?.depends_on ?? {})).toEqual(["app1", "app2"]);
  });

  test("refers only to services, volumes, secrets and files that exist", () => {
    for (const [name, { depends_on = {}, volumes = [], build }] of services) {
      for (const other of Object.keys(depends_on))
        expect(file.services, `${name} needs ${other}`).toHaveProperty(other);
      for (const [source = ""] of volumes.map((volume) => volume.split(":"))) {
        if (source.startsWith("./")) expect(existsSync(inRepository(source)), source).toBe(true);
        else expect(file.volumes).toHaveProperty(source);
      }
      for (const secret of build?.secrets ?? []) expect(file.secrets).toHaveProperty(secret);
    }
  });

  test("who waits for a healthy service waits for one that checks its health", () => {
    for (const [name, { depends_on = {} }] of services) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const { image = "", healthcheck } = file.services[other] ?? {};
        const checks = healthcheck !== undefined || image.startsWith("evertack:");
        expect(condition !== "service_healthy" || checks, `${name} waits for ${other}`).toBe(true);
      }
    }
  });

  test("only the proxy is reachable from outside, and the stand-ins of a trial from this machine", () => {
    const published = services.filter(([, { ports }]) => ports).map(([name]) => name);
    expect(published).toEqual(["proxy", "stand-ins"]);
    expect(file.services["stand-ins"]?.ports?.every((port) => port.startsWith("127.0.0.1:"))).toBe(true);
  });

  test("has no stand-in unless the trial profile asks for those of Pinterest, OpenAI and Paddle", () => {
    const profiled = services.filter(([, { profiles }]) => profiles);
    expect(profiled.map(([name, { profiles }]) => [name, profiles])).toEqual([["stand-ins", ["trial"]]]);
    const env = parseEnv(environmentOf("app1", production));
    expect([env.SANDBOX_SERVICES, env.ALLOW_SANDBOX, env.PADDLE_API_URL]).toEqual([[], "", undefined]);
  });

  test("gives the app settings that it knows and accepts, with the operator's values", () => {
    const given = environmentOf("app1", production);
    const others = Object.keys(given).filter((name) => !settingNames.includes(name) && !name.startsWith("AWS_"));
    expect(others).toEqual(["PORT"]);
    // Of a development machine, or set by the image's build.
    const left = ["LINK_CHECK_ALLOWED_HOSTS", "GENERATED_SECRETS", "INNGEST_DEV", "NEXT_SERVER_ACTIONS_ENCRYPTION_KEY"];
    expect(settingNames.filter((name) => !(name in given) && !left.includes(name))).toEqual([]);
    expect(parseEnv(given)).toMatchObject({
      APP_URL: "https://pins.example.com",
      ROLE: "all",
      HOST: "0.0.0.0",
      TRUSTED_PROXIES: 1,
      RATE_LIMIT_FACTOR: 1,
      INNGEST_BASE_URL: "http://inngest:8288",
    });
    expect(given.DATABASE_URL).toBe("postgres://evertack:5f0c7a19@postgres:5432/evertack");
  });

  test("names what is missing instead of starting without it", () => {
    const required = variablesIn(yaml).filter(({ isRequired }) => isRequired);
    for (const { name } of required) {
      const { [name]: _, ...rest } = { ...production } as Record<string, string>;
      const start = () => services.map(([service]) => environmentOf(service, rest));
      expect(start, name).toThrow(`${name} is required`);
    }
  });

  test("the guides explain every variable", () => {
    const guide = read("docs", "guides", "production.md") + read(".env.example");
    const names = [...new Set(variablesIn(yaml).map(({ name }) => name))];
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(guide))).toEqual([]);
  });
});

describe("the trial", () => {
  const trial: Partial<Record<string, string>> = parseEnvFile(read("deploy", "trial.env"));

  test("its settings are complete and accepted, with three stand-ins", () => {
    const env = parseEnv(environmentOf("app1", trial));
    expect(env.SANDBOX_SERVICES).toEqual(["pinterest", "openai", "paddle"]);
    expect(env.PADDLE_PRICES["plan:basic"]).toEqual([sandboxPrices()["plan:basic"]]);
    expect(trial.COMPOSE_PROFILES).toBe("trial");
    for (const [name] of services) expect(() => environmentOf(name, trial)).not.toThrow();
  });

  test("the app finds the stand-ins at their name and ports", () => {
    const env = environmentOf("app2", trial);
    const host = environmentOf("stand-ins", trial).STAND_IN_HOST;
    expect(file.services).toHaveProperty(host ?? "");
    expect([env.PINTEREST_API_URL, env.OPENAI_BASE_URL, env.PADDLE_API_URL]).toEqual([
      `http://${host}:${preferredPorts.pinterest}/v5`,
      `http://${host}:${preferredPorts.openai}/v1`,
      `http://${host}:${preferredPorts.paddle}`,
    ]);
    expect(new URL(env.PINTEREST_OAUTH_URL ?? "").host).toBe(`localhost:${preferredPorts.pinterest}`);
    expect(new URL(env.PADDLE_JS_URL ?? "").host).toBe(`localhost:${preferredPorts.paddle}`);
  });
});

describe("the checker", () => {
  test.each([
    ["an unknown key", "services: { a: { image: 'a:1', comand: [x] } }\nvolumes: {}\nsecrets: {}"],
    ["an image without a tag", "services: { a: { image: a } }\nvolumes: {}\nsecrets: {}"],
    [
      "a number where a text belongs",
      "services: { a: { image: 'a:1', environment: { A: 1 } } }\nvolumes: {}\nsecrets: {}",
    ],
    ["an unknown section", "services: {}\nvolumes: {}\nsecrets: {}\nservice: {}"],
  ])("finds %s", (_what, broken) => {
    expect(() => parseCompose(broken)).toThrow();
  });
});

describe("the image", () => {
  const stages = dockerfile.split(/^FROM /m).slice(1);
  const last = stages.at(-1) ?? "";

  test("is built in stages, runs as another user than root, and checks its health", () => {
    expect(stages.length).toBeGreaterThan(2);
    expect(last).toMatch(/^USER node$/m);
    expect(last).toMatch(/^HEALTHCHECK .*\n.*\/api\/health\/\?live/m);
    expect(last.indexOf("USER node")).toBeLessThan(last.indexOf("CMD ["));
    expect(last).not.toMatch(/npm (ci|install|run)/);
  });

  test("takes the settings that pages show as build arguments, and no others", () => {
    const args = [...dockerfile.matchAll(/^ARG (\w+)/gm)].map(([, name]) => name);
    expect([...args].sort()).toEqual([...pageSettingNames].sort());
    expect(Object.keys(file.services.app1?.build?.args ?? {}).sort()).toEqual([...pageSettingNames].sort());
  });

  test("contains no secrets, tests or local data", () => {
    const ignored = read(".dockerignore").split("\n");
    for (const name of [".env*", ".data", ".git", "tests", "node_modules", "deploy"]) expect(ignored).toContain(name);
    for (const name of ["scripts/serve.ts", "scripts/stand-ins.ts"]) expect(existsSync(inRepository(name))).toBe(true);
  });
});

test("the proxy sends requests to both instances, and the engine's only from inside", () => {
  const caddyfile = read("deploy", "Caddyfile");
  const upstreams = [...caddyfile.matchAll(/reverse_proxy ([^{\n]+) \{/g)].map(([, names = ""]) =>
    names.split(" ").sort(),
  );
  expect(upstreams.length).toBeGreaterThan(1);
  for (const names of upstreams) expect(names).toEqual(["app1:3000", "app2:3000"]);
  expect(caddyfile).toMatch(/handle \/api\/inngest\* \{\s*respond 404/);
  const inner = file.services.inngest?.command?.join(" ");
  expect(inner).toContain("--sdk-url http://proxy:8300/api/inngest");
  expect(caddyfile).toContain("http://:8300 {");
});
