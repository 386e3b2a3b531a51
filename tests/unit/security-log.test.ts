import type { NextApiRequest, NextApiResponse } from "next";
import { NextRequest } from "next/server";
import NextAuth from "next-auth";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createWideEvent, writeEvent } from "#lib/core/log.ts";
import { authOptions } from "#lib/server/auth.ts";
import { answerAuth } from "#lib/server/auth-handler.ts";
import { logConsole } from "#lib/server/library-log.ts";
import { composeSettings, preferredPorts } from "#scripts/compose.ts";
import { createSecrets } from "#scripts/settings-file.ts";

beforeAll(() => {
  const databaseUrl = "postgres://127.0.0.1:9/none";
  const place = { ports: preferredPorts, host: "127.0.0.1", databaseUrl, dataDir: "/tmp/none" };
  const { env } = composeSettings({ given: {}, secrets: createSecrets(), ...place });
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  vi.stubEnv("NEXTAUTH_URL", env.APP_URL ?? "");
});

const LEVELS = ["debug", "log", "info", "warn", "error"] as const;
let written = "";
const record = (...values: unknown[]) => {
  written += `${values.map(String).join(" ")}\n`;
};
beforeEach(() => {
  written = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    written += String(text);
    return true;
  });
  for (const level of LEVELS) vi.spyOn(console, level).mockImplementation(record);
});
afterEach(() => void vi.restoreAllMocks());

const lines = (): Record<string, unknown>[] =>
  written
    .trimEnd()
    .split(/[\n\r\u0085\u2028\u2029]/)
    .map((line) => JSON.parse(line));

const FORGED = '{"at":"2026-01-01T00:00:00.000Z","request_id":"req_forged","status":200,"actor":"user"}';
const ask = (path: string, init: { method?: string; headers?: Record<string, string>; body?: string } = {}) =>
  answerAuth(new NextRequest(`http://localhost:3000/api/auth/${path}`, init), {
    params: Promise.resolve({ nextauth: (path.split("?")[0] ?? "").split("/") }),
  });

/** The form for Next's older routes, which needs no running Next. */
const handle = async (given: { query?: Record<string, string>; cookies?: Record<string, string> }): Promise<void> => {
  const { query = {}, cookies = {} } = given;
  const request = {
    method: "GET",
    headers: { host: "localhost:3000" },
    cookies,
    query: { nextauth: ["signin"], ...query },
  };
  const response = {
    status: () => response,
    setHeader() {},
    getHeader() {},
    send() {},
    json() {},
    redirect() {},
    end() {},
  };
  await NextAuth(
    request as unknown as NextApiRequest,
    response as unknown as NextApiResponse,
    authOptions({ onFailure: () => {}, onLogin: () => {} }),
  );
};

describe("next-auth", () => {
  test.each([
    ["query", { query: { callbackUrl: `:\n${FORGED}\n` } }],
    ["cookie", { cookies: { "next-auth.callback-url": `:\r\n${FORGED}` } }],
    ["query, by rarer ones", { query: { callbackUrl: `:\u0085${FORGED}\u2028${FORGED}` } }],
  ])("a callbackUrl with line breaks in the %s forges no line", async (_where, given) => {
    await handle(given);
    const events = lines();
    expect(events).toContainEqual(expect.objectContaining({ sign_in_problem: "INVALID_CALLBACK_URL_ERROR" }));
    expect(events.map(({ request_id }) => request_id)).not.toContain("req_forged");
    expect(written).not.toContain("req_forged");
  });

  test("its route that writes a stranger's text into the log is not found", async () => {
    const body = JSON.stringify({ level: "error", code: FORGED, message: "canary" });
    const headers = { "content-type": "application/json" };
    expect((await ask("_log", { method: "POST", body, headers })).status).toBe(404);
    expect(written).not.toMatch(/canary|req_forged/);
  });
});

test("values cannot break a line or steer a terminal", () => {
  const problem = `a\n${FORGED}\r\u001b[2J\u009b31m\u0085\u2028\u202edcba`;
  writeEvent(createWideEvent({ problem }));
  expect(written).toMatch(/^[ -~]+\n$/);
  expect(lines()).toEqual([{ problem }]);
});

test("what libraries print becomes one line each, without colors and addresses", () => {
  const print = { ...console };
  logConsole(print);
  print.error(" \u001b[31m⨯\u001b[0m", new Error(`Failed for ann@example.com\n${FORGED}`));
  print.warn("Signature\nvalidation failed", { err: new Error("inner") });
  print.log("");
  const [first, second, ...others] = lines();
  expect(others).toEqual([]);
  expect(first).toMatchObject({ printed: "error", problem: `⨯ Failed for (address)\n${FORGED}` });
  expect(first?.stack).toMatch(/^\s+at /);
  expect(second).toMatchObject({ printed: "warn", problem: expect.stringContaining("Signature\nvalidation failed") });
});
