import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Handle } from "#sandbox/kit/serve.ts";
import { createSpec } from "#sandbox/kit/spec.ts";
import { latencyOf } from "#sandbox/openai/seed.ts";
import { PIN_SCHEMA, post, requestImage, requestText, start, stateOf } from "./sandbox-openai-client.ts";

const spec = createSpec("openai");
let openai: Handle;
beforeAll(async () => {
  openai = await start();
});
afterAll(() => openai.close());

const contentOf = (answer: Awaited<ReturnType<typeof requestText>>) =>
  JSON.parse(answer.body.choices[0]?.message.content ?? "null");

describe("text", () => {
  test("R-SRV-10 the response has the official shape and valid JSON for the schema", async () => {
    const answer = await requestText(openai.url, "small balcony garden");
    expect(answer.status).toBe(200);
    expect(spec.checkReply("POST", "/chat/completions", 200, answer.body)).toEqual({ ok: true });
    expect(answer.body.choices[0]?.finish_reason).toBe("stop");
    expect(Object.keys(contentOf(answer))).toEqual(["title", "description", "alt_text"]);
    expect(contentOf(answer).title).toMatch(/balcony garden/i);
    expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
  });

  test("R-SRV-10 every string of a schema is filled; other types are rejected by name", async () => {
    const strict = (properties: Record<string, object>) => {
      return { type: "object", additionalProperties: false, properties, required: Object.keys(properties) };
    };
    const other = await requestText(
      openai.url,
      "lemon tart",
      {},
      strict({ title: { type: "string" }, mood: { type: "string" } }),
    );
    expect(contentOf(other)).toEqual({ title: expect.stringMatching(/tart/i), mood: expect.any(String) });
    const refused = await requestText(openai.url, "lemon tart", {}, strict({ minutes: { type: "integer" } }));
    expect(refused.status).toBe(400);
    expect(refused.body.error.message).toContain("minutes");
  });

  test("R-SRV-10 a low token limit cuts the text with finish_reason length", async () => {
    const answer = await requestText(openai.url, "lemon tart", { max_completion_tokens: 12 });
    expect(answer.body.choices[0]?.finish_reason).toBe("length");
    expect(() => contentOf(answer)).toThrow(SyntaxError);
  });

  test.each([
    [{ model: undefined }, 400, "model"],
    [{ messages: [] }, 400, "messages"],
    [{ temprature: 1 }, 400, "temprature"],
    [{ stream: true }, 400, "stream"],
    [{ temperature: 1 }, 400, "temperature"],
    [{ response_format: { type: "json_object" } }, 400, "response_format"],
    [{ model: "gpt-image-2" }, 404, "model"],
    [{ model: "gpt-3.5-turbo" }, 404, "model"],
  ])("R-SRV-10 rejected like the service does: %j", async (more, status, param) => {
    const answer = await requestText(openai.url, "x", more);
    expect(answer.status).toBe(status);
    expect(answer.body.error.param).toContain(param);
    expect(answer.body.error.type).toBe("invalid_request_error");
  });

  test("R-SRV-10 a schema that is not strict is rejected", async () => {
    const open = await requestText(openai.url, "x", {}, { ...PIN_SCHEMA, additionalProperties: true });
    expect(open.status).toBe(400);
    expect(open.body.error).toMatchObject({ param: "response_format" });
    const partial = await requestText(openai.url, "x", {}, { ...PIN_SCHEMA, required: ["title"] });
    expect(partial.body.error.message).toContain("description");
  });
});

describe("rejected image requests", () => {
  test.each([
    [{ size: "1000x1500" }, "size"],
    [{ size: "256x1024" }, "size"],
    [{ size: "huge" }, "size"],
    [{ size: "992x1488", model: "gpt-image-1.5" }, "size"],
    [{ response_format: "b64_json" }, "response_format"],
    [{ quality: "hd" }, "quality"],
    [{ quality: "xhigh" }, "quality"],
    [{ output_format: "gif" }, "output_format"],
    [{ n: 0 }, "n"],
    [{ n: 2 }, "n"],
    [{ background: "transparent" }, "background"],
    [{ prompt: "x".repeat(32_001) }, "prompt"],
    [{ prompt: "" }, "prompt"],
    [{ model: undefined }, "model"],
    [{ model: "dall-e-3" }, "model"],
    [{ model: "gpt-5.5" }, "model"],
    [{ nonsense: true }, "nonsense"],
    [{ output_compression: 101 }, "output_compression"],
    [{ safety_identifier: "x".repeat(65) }, "safety_identifier"],
  ])("R-SRV-10 %#: names %s", async (more, param) => {
    const answer = await requestImage(openai.url, "x", more);
    expect([400, 404]).toContain(answer.status);
    expect(answer.body.error.param).toBe(param);
  });

  test("R-SRV-10 a forbidden subject is blocked for images", async () => {
    const answer = await requestImage(openai.url, "My Forbidden Subject");
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: "moderation_blocked", type: "image_generation_user_error" });
    expect((await requestText(openai.url, "My Forbidden Subject")).status).toBe(200);
  });
});

describe("the service", () => {
  test("R-SRV-10 only the configured key is accepted", async () => {
    expect((await post(openai.url, "/v1/chat/completions", {}, "")).body.error.code).toBe("invalid_api_key");
    await using locked = await start({ apiKey: "sk-right" });
    expect((await post(locked.url, "/v1/images/generations", {}, "sk-wrong")).status).toBe(401);
    expect((await post(locked.url, "/v1/images/generations", {}, "sk-right")).status).toBe(400);
  });

  test("R-SRV-10 a call that the product does not make is a 501 that names it", async () => {
    const headers = { authorization: "Bearer x" };
    const refused = await fetch(`${openai.url}/v1/responses`, { method: "POST", headers });
    expect(refused.status).toBe(501);
    expect(await refused.text()).toContain("POST /v1/responses");
    expect((await fetch(`${openai.url}/v1/models`, { headers })).status).toBe(501);
  });

  test("R-SRV-10 the official client works against it", async () => {
    const client = new OpenAI({ apiKey: "sk-test", baseURL: `${openai.url}/v1`, maxRetries: 0 });
    const image = await client.images.generate({ model: "gpt-image-2", prompt: "tea", size: "256x384" });
    expect(image.data?.[0]?.b64_json?.length).toBeGreaterThan(1_000);
    const wrong = client.images.generate({ model: "gpt-image-2", prompt: "a forbidden subject" });
    await expect(wrong).rejects.toMatchObject({ status: 400, code: "moderation_blocked" });
  });

  test("R-SRV-10 answered and rejected calls are counted; a reset clears the counts", async () => {
    await using own = await start();
    await requestText(own.url, "tea");
    await requestImage(own.url, "tea", { size: "256x384" });
    await requestImage(own.url, "forbidden subject");
    expect((await stateOf(own.url)).counts).toMatchObject({ texts: 1, images: 1, imagesRefused: 1 });
    await fetch(`${own.url}/__control/reset`, { method: "POST" });
    expect((await stateOf(own.url)).counts).toMatchObject({ texts: 0, images: 0, imagesRefused: 0 });
  });

  test("R-SRV-10 latency varies by at most a quarter, and is the same for the same prompt", async () => {
    const latencies = Array.from({ length: 200 }, (_, index) =>
      latencyOf(`prompt ${index}`, { ms: 1_000, spread: 0.25 }),
    );
    expect(Math.min(...latencies)).toBeGreaterThanOrEqual(750);
    expect(Math.max(...latencies)).toBeLessThanOrEqual(1_250);
    expect(new Set(latencies).size).toBeGreaterThan(100);
    expect(latencyOf("prompt 7", { ms: 1_000, spread: 0.25 })).toBe(latencies[7]);
    await using slow = await start({ textLatencyMs: 200 });
    const startedAt = performance.now();
    await requestText(slow.url, "tea");
    expect(performance.now() - startedAt).toBeGreaterThan(145);
  });
});
