import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { NextRequest } from "next/server";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { buildContainer } from "#lib/composition.ts";
import { parseEnv } from "#lib/env.ts";
import { guardEngine } from "#lib/server/engine-handler.ts";
import { answerUnusualRequests } from "#lib/server/unusual-requests.ts";
import { composeSettings, preferredPorts } from "#scripts/compose.ts";
import { createSecrets } from "#scripts/settings-file.ts";

const settingsOf = (given: Record<string, string>) =>
  composeSettings({
    given,
    secrets: createSecrets(),
    ports: preferredPorts,
    host: "127.0.0.1",
    databaseUrl: "postgres://127.0.0.1:9/none",
    dataDir: "/tmp/none",
  }).env;

beforeAll(() => {
  for (const [name, value] of Object.entries(settingsOf({ ROLE: "web" }))) vi.stubEnv(name, value);
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
});

test("a process does everything unless ROLE says otherwise, and an unknown role stops the start", () => {
  expect(parseEnv(settingsOf({})).ROLE).toBe("all");
  expect(() => parseEnv(settingsOf({ ROLE: "cron" }))).toThrow(/ROLE: /);
});

test.each([
  ["web", 6],
  ["worker", 10],
  ["all", 10],
])("ROLE=%s opens at most %i database connections", async (ROLE, max) => {
  const { database } = buildContainer(parseEnv(settingsOf({ ROLE })));
  expect(database.usage().max).toBe(max);
  await database.close();
});

test("a web process answers the durable engine with 404, and runs nothing", async () => {
  const run = vi.fn(async () => new Response("ran"));
  const response = await guardEngine(run)(
    new NextRequest("http://localhost:3000/api/inngest", { method: "PUT" }),
    null,
  );
  expect([response.status, await response.json()]).toEqual([
    404,
    expect.objectContaining({ code: "not_found", error: "This process runs no durable steps." }),
  ]);
  expect(run).not.toHaveBeenCalled();
});

describe("a worker", () => {
  const server = createServer((_, response) => response.end("served"));
  let origin = "";
  beforeAll(async () => {
    answerUnusualRequests("https://pins.example.com", "worker");
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  test.each(["/api/inngest", "/api/inngest/?fnId=app-sweep", "/api/health/", "/api/metrics"])(
    "serves %s",
    async (path) => {
      expect(await (await fetch(`${origin}${path}`)).text()).toBe("served");
    },
  );

  test.each([
    "/",
    "/app",
    "/login?next=/app",
    "/api/users/me/",
    "/api/inngests",
    "/x/api/health/",
    "/_next/static/a.js",
  ])("answers %s with 404 and says why", async (path) => {
    const response = await fetch(`${origin}${path}`);
    expect([response.status, await response.json()]).toEqual([
      404,
      expect.objectContaining({ code: "not_found", error: expect.stringContaining("only runs background work") }),
    ]);
    expect(response.headers.get("allow")).toBeNull();
  });
});
