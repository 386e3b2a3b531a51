import { randomBytes } from "node:crypto";
import { Inngest } from "inngest";
import { serve } from "inngest/next";
import { NextRequest } from "next/server";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { guardEngine } from "#lib/server/engine-handler.ts";
import { LIMITS } from "#lib/server/rate-limit.ts";
import { signRequest } from "#sandbox/inngest/protocol.ts";
import { composeSettings, preferredPorts } from "#scripts/compose.ts";
import { createSecrets } from "#scripts/settings-file.ts";

const MB = 1024 * 1024;
const secrets = createSecrets();
const logger = { info() {}, warn() {}, error() {}, debug() {} };
const client = new Inngest({ id: "test", isDev: false, signingKey: secrets.INNGEST_SIGNING_KEY, logger });
const step = client.createFunction({ id: "step", triggers: [{ event: "a/b" }] }, () => "done");
const served = serve({ client, functions: [step], enableUnauthedSync: false });
const calls = vi.fn(served.POST);
const post = guardEngine((request, context) => calls(request, context));

beforeAll(() => {
  const databaseUrl = "postgres://127.0.0.1:9/none";
  const place = { ports: preferredPorts, host: "127.0.0.1", databaseUrl, dataDir: "/tmp/none" };
  const { env } = composeSettings({ given: { RATE_LIMIT_FACTOR: "1" }, secrets, ...place });
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  vi.spyOn(process.stdout, "write").mockReturnValue(true);
});
beforeEach(() => void calls.mockClear());

/** A body that counts how much of it was read. */
const bodyOf = (megabytes: number) => {
  let read = 0;
  const chunk = new Uint8Array(MB).fill(97);
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        read += 1;
        if (read > megabytes) controller.close();
        else controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, megabytesRead: () => read };
};

const call = (body: BodyInit | null, headers: Record<string, string>, address = randomBytes(8).toString("hex")) =>
  post(
    new NextRequest("http://localhost:3000/api/inngest?fnId=test-step&stepId=step", {
      method: "POST",
      headers: { "x-forwarded-for": address, ...headers },
      body,
      ...(body instanceof ReadableStream && { duplex: "half" }),
    }),
    undefined,
  );

const signed = (body: string, atMs = Date.now()) => ({
  "x-inngest-signature": signRequest(body, secrets.INNGEST_SIGNING_KEY, atMs),
});
const forged = () => ({ "x-inngest-signature": `t=${Math.floor(Date.now() / 1000)}&s=${"0".repeat(64)}` });

describe("calls without a signature", () => {
  test.each([
    ["none", {}],
    ["one that is not of its form", { "x-inngest-signature": "t=now&s=abc" }],
    ["one of ten minutes ago", signed("", Date.now() - 600_000)],
  ])("with %s they are refused before a byte of a 60 MB body is read", async (_what, headers) => {
    const { stream, megabytesRead } = bodyOf(60);
    const response = await call(stream, headers);
    expect([response.status, megabytesRead()]).toEqual([401, 0]);
    expect(await response.json()).toMatchObject({ code: "unauthenticated", request_id: expect.any(String) });
    expect(calls).not.toHaveBeenCalled();
  });

  test("their address is limited, but never a signed call from it", async () => {
    for (let n = 0; n < LIMITS.engine.calls; n += 1) expect((await call(null, {}, "198.51.100.1")).status).toBe(401);
    const refused = await call(null, {}, "198.51.100.1");
    expect([refused.status, Number(refused.headers.get("retry-after"))]).toEqual([429, 60]);
    expect((await call("{}", signed("{}"), "198.51.100.1")).status).not.toBe(429);
    expect((await call(null, {}, "198.51.100.2")).status).toBe(401);
  });

  test("forged signatures count as well", async () => {
    const answers: number[] = [];
    for (let n = 0; n <= LIMITS.engine.calls; n += 1) answers.push((await call("{}", forged(), "198.51.100.3")).status);
    expect(new Set(answers.slice(0, -1))).toEqual(new Set([401]));
    expect(answers.at(-1)).toBe(429);
  });
});

describe("bodies", () => {
  test("one that is announced as too large is not read", async () => {
    const { stream, megabytesRead } = bodyOf(60);
    const response = await call(stream, { ...forged(), "content-length": String(60 * MB) });
    expect([response.status, megabytesRead()]).toEqual([413, 0]);
    expect(calls).not.toHaveBeenCalled();
  });

  test("one that turns out to be too large never reaches the SDK", async () => {
    const response = await call(bodyOf(60).stream, forged());
    expect([response.status, calls.mock.calls.length]).toEqual([413, 0]);
  });

  test("broken JSON is 401 unsigned and 400 with a signature", async () => {
    expect((await call("{", {})).status).toBe(401);
    const response = await call("{", signed("{"));
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ code: "invalid", message: "The body is not valid JSON." }),
    ]);
  });

  test("broken JSON under a forged signature counts as a refusal", async () => {
    const answers: number[] = [];
    for (let n = 0; n <= LIMITS.engine.calls; n += 1) answers.push((await call("{", forged(), "198.51.100.4")).status);
    expect([answers[0], answers.at(-1)]).toEqual([400, 429]);
  });

  test("a signed call runs the function", async () => {
    const body = JSON.stringify({
      ctx: { attempt: 0, run_id: "1", stack: { current: 0, stack: [] } },
      event: { data: {}, name: "a/b" },
      events: [{ data: {}, name: "a/b" }],
      steps: {},
      use_api: false,
    });
    const response = await call(body, signed(body));
    expect([response.status, await response.json()]).toEqual([200, "done"]);
  });
});
