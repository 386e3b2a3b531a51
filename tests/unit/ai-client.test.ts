import { setTimeout as delay } from "node:timers/promises";
import { Hono } from "hono";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createAi } from "#lib/integrations/ai/client.ts";
import { type Handle, serve } from "#sandbox/kit/serve.ts";
import { createSpec } from "#sandbox/kit/spec.ts";

interface Answer {
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
  raw?: string;
  latencyMs?: number;
  hang?: boolean;
}

const HANG_MS = 3_000;

const seen: { path: string; body: unknown }[] = [];
let answer: Answer = {};
let server: Handle;
let atOnce = 0;
let mostAtOnce = 0;

beforeAll(async () => {
  const app = new Hono();
  app.post("*", async (c) => {
    seen.push({ path: new URL(c.req.url).pathname, body: await c.req.json() });
    if (answer.hang) await delay(HANG_MS);
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    await delay(answer.latencyMs ?? 0);
    atOnce -= 1;
    const text = answer.raw ?? JSON.stringify(answer.body ?? {});
    return new Response(text, {
      status: answer.status ?? 200,
      headers: { "content-type": "application/json", ...answer.headers },
    });
  });
  server = await serve(app, { port: 0, host: "127.0.0.1" });
});
afterAll(() => server.close());
beforeEach(() => {
  seen.length = 0;
  mostAtOnce = 0;
  answer = {};
});

const newAi = (more: { timeoutMs?: number } = {}) =>
  createAi({
    apiKey: "k",
    baseUrl: `${server.url}/v1`,
    textModel: "gpt-5.4-mini",
    imageModel: "gpt-image-2",
    ...more,
  });

const failWith = (
  status: number,
  code: string | null,
  more: { type?: string; headers?: Record<string, string> } = {},
) => {
  const error = { message: "m", type: more.type ?? "x", param: null, code };
  answer = { status, body: { error }, ...(more.headers && { headers: more.headers }) };
};

const draw = (ai = newAi()) => ai.generateImage({ keyword: "k", quality: "high", safetyId: "s" });
const write = (ai = newAi()) => ai.writeCopy({ keyword: "k", url: null, safetyId: "s" });

describe("requests", () => {
  const spec = createSpec("openai");

  test("the text request has the official shape: strict schema, one attempt, configurable models", async () => {
    const content = JSON.stringify({ title: "t", description: "d", alt_text: "a" });
    const message = { role: "assistant", content, refusal: null };
    answer = {
      body: {
        id: "1",
        object: "chat.completion",
        created: 1,
        model: "m",
        choices: [{ finish_reason: "stop", message }],
      },
    };
    const outcome = await newAi().writeCopy({ keyword: "moss", url: "https://a.example/", safetyId: "s1" });
    expect(outcome).toEqual({ kind: "written", copy: { title: "t", description: "d", altText: "a" } });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      path: "/v1/chat/completions",
      body: {
        model: "gpt-5.4-mini",
        safety_identifier: "s1",
        messages: [{ role: "system" }, { role: "user", content: '{"keyword":"moss","address":"https://a.example/"}' }],
        response_format: { type: "json_schema", json_schema: { strict: true } },
      },
    });
    expect(spec.check("POST", "/chat/completions", { body: seen[0]?.body })).toEqual({ ok: true });
  });

  test("a fix follows the data as an instruction of ours, in the official shape", async () => {
    const page = { title: "Fern mug" };
    await newAi().writeCopy({ keyword: "moss", url: null, safetyId: "s1", page, fix: "No 7." });
    expect(seen[0]?.body).toMatchObject({
      messages: [
        { role: "system" },
        { role: "user", content: JSON.stringify({ keyword: "moss", address: null, page }) },
        { role: "system", content: "No 7." },
      ],
    });
    expect(spec.check("POST", "/chat/completions", { body: seen[0]?.body })).toEqual({ ok: true });
  });

  test.each([
    ["high", "high"],
    ["standard", "medium"],
  ] as const)("a %s image requests %s quality, portrait, JPEG", async (quality, wire) => {
    answer = { body: { created: 1, data: [{ b64_json: Buffer.from("jpeg").toString("base64") }] } };
    const outcome = await newAi().generateImage({ keyword: "moss", quality, safetyId: "s1" });
    expect(outcome).toEqual({ kind: "generated", image: Buffer.from("jpeg") });
    expect(seen[0]).toMatchObject({
      path: "/v1/images/generations",
      body: { model: "gpt-image-2", n: 1, size: "1024x1536", quality: wire, output_format: "jpeg" },
    });
    expect(seen[0]?.body).not.toHaveProperty("response_format");
    expect(spec.check("POST", "/images/generations", { body: seen[0]?.body })).toEqual({ ok: true });
  });
});

describe("problems, each after exactly one request", () => {
  const problemOf = async (outcome: ReturnType<typeof draw> | ReturnType<typeof write>) => {
    const found = await outcome;
    expect(seen).toHaveLength(1);
    return found.kind === "problem" ? found.problem : found.kind;
  };

  test("429 rate limit waits as long as requested", async () => {
    failWith(429, "rate_limit_exceeded", { headers: { "retry-after": "17" } });
    expect(await problemOf(draw())).toMatchObject({ kind: "busy", retryAfterMs: 17_000 });
  });

  test("429 rate limit without a wait has none", async () => {
    failWith(429, "rate_limit_exceeded");
    expect(await problemOf(write())).toEqual({
      kind: "later",
      text: "Our AI is very busy right now. Please try again in a few minutes.",
      detail: "429 rate_limit_exceeded",
    });
  });

  test("429 insufficient_quota is misconfigured", async () => {
    failWith(429, "insufficient_quota", { type: "insufficient_quota" });
    expect(await problemOf(draw())).toMatchObject({ kind: "misconfigured" });
  });

  test.each([
    [400, "moderation_blocked", "image_generation_user_error"],
    [400, "content_policy_violation", "invalid_request_error"],
  ])("%i %s is a readable refusal", async (status, code, type) => {
    failWith(status, code, { type });
    expect(await problemOf(draw())).toMatchObject({
      kind: "refused",
      text: "Our AI can't make a pin about this. Try another keyword.",
    });
  });

  test.each([
    [401, "invalid_api_key"],
    [403, null],
    [404, "model_not_found"],
    [400, "invalid_value"],
  ])("%i %s is misconfigured", async (status, code) => {
    failWith(status, code);
    expect(await problemOf(draw())).toMatchObject({ kind: "misconfigured" });
  });

  test.each([408, 409, 500, 502, 503])("%i is for later", async (status) => {
    failWith(status, null);
    expect(await problemOf(write())).toMatchObject({ kind: "later" });
  });

  test("a missing image is unusable", async () => {
    answer = { body: { created: 1, data: [{}] } };
    expect(await problemOf(draw())).toMatchObject({ kind: "unusable" });
  });

  test.each([null, [], "text", { data: null }, { data: {} }, { data: [null] }, { data: [{ b64_json: 7 }] }])(
    "an unexpected shape is unusable: %j",
    async (body) => {
      answer = { raw: JSON.stringify(body) };
      expect(await problemOf(draw())).toMatchObject({ kind: "unusable" });
      seen.length = 0;
      answer = { raw: JSON.stringify(body) };
      expect(await problemOf(write())).toMatchObject({ kind: "unusable" });
    },
  );

  test("an answer that is not JSON is unusable", async () => {
    answer = { raw: '{"created":' };
    expect(await problemOf(draw())).toMatchObject({ kind: "unusable" });
  });

  test("a timeout is for later", async () => {
    answer = { hang: true };
    expect(await problemOf(draw(newAi({ timeoutMs: 100 })))).toMatchObject({ kind: "later" });
  });

  test("an unreachable server is for later", async () => {
    const nowhere = createAi({
      apiKey: "k",
      baseUrl: "http://127.0.0.1:9/v1",
      textModel: "t",
      imageModel: "i",
    });
    expect(await write(nowhere)).toMatchObject({ kind: "problem", problem: { kind: "later" } });
  });
});
