import OpenAI from "openai";
import type { ResponseCreateParamsNonStreaming } from "openai/resources/responses/responses";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSpec } from "#sandbox/kit/spec.ts";
import type { OpenAiHandle } from "#sandbox/openai/server.ts";
import { until } from "#tests/support/poll.ts";
import { PIN_SCHEMA, post, start, stateOf, strike } from "./sandbox-openai-client.ts";

const spec = createSpec("openai");
const PATH = "POST /v1/responses";

let openai: OpenAiHandle;
let client: OpenAI;
beforeAll(async () => {
  openai = await start();
  client = new OpenAI({ apiKey: "sk-test", baseURL: `${openai.url}/v1`, maxRetries: 0 });
});
afterAll(() => openai.close());

const format = { type: "json_schema" as const, name: "pin", strict: true, schema: { ...PIN_SCHEMA } };
const order = (keyword: string, more: Partial<ResponseCreateParamsNonStreaming> = {}) => ({
  model: "gpt-5.4-mini",
  instructions: "Write a pin.",
  input: [{ role: "user" as const, content: JSON.stringify({ keyword, address: null }) }],
  text: { format },
  ...more,
});
const ask = (keyword: string, more: Partial<ResponseCreateParamsNonStreaming> = {}) =>
  client.responses.create(order(keyword, more));
const sent = (body: object) => post(openai.url, "/v1/responses", body);

describe("the Responses API", () => {
  test("R-SRV-10 a structured answer, in the official shape, read by the official client", async () => {
    const response = await ask("small balcony garden", { safety_identifier: "user-1" });
    expect(response).toMatchObject({ status: "completed", error: null, safety_identifier: "user-1" });
    expect(Object.keys(JSON.parse(response.output_text))).toEqual(["title", "description", "alt_text"]);
    expect(JSON.parse(response.output_text).title).toMatch(/balcony garden/i);
    expect(response.usage?.total_tokens).toBe(
      (response.usage?.input_tokens ?? 0) + (response.usage?.output_tokens ?? 0),
    );
    const raw = await sent(order("small balcony garden"));
    expect(spec.checkReply("POST", "/responses", 200, raw.body)).toEqual({ ok: true });
    expect(raw.headers.get("x-request-id")).toMatch(/^req_/);
  });

  test("R-SRV-10 the same words as a chat completion gets, whichever way the input is written", async () => {
    const keyword = "lemon tart";
    const data = JSON.stringify({ keyword, address: null });
    const asText = await ask(keyword, { input: data });
    const asParts = await ask(keyword, {
      input: [
        { role: "developer", content: "Write a pin." },
        { role: "user", content: [{ type: "input_text", text: data }] },
      ],
    });
    expect(asText.output_text).toBe((await ask(keyword)).output_text);
    expect(asParts.output_text).toBe(asText.output_text);
    const chat = await client.chat.completions.create({
      model: "gpt-5.4-mini",
      messages: [{ role: "user", content: data }],
      response_format: { type: "json_schema", json_schema: { name: "pin", strict: true, schema: { ...PIN_SCHEMA } } },
    });
    expect(chat.choices[0]?.message.content).toBe(asText.output_text);
  });

  test("R-SRV-10 plain text and json_object are answered too", async () => {
    expect((await ask("lemon tart", { text: { format: { type: "text" } } })).output_text).toMatch(/tart/i);
    const json = await ask("lemon tart", { text: { format: { type: "json_object" } } });
    expect(JSON.parse(json.output_text)).toHaveProperty("alt_text");
  });

  test("R-SRV-10 a token limit leaves it incomplete, and says why", async () => {
    const response = await ask("lemon tart", { max_output_tokens: 16 });
    expect(response).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } });
    expect(response.output).toMatchObject([{ type: "message", status: "incomplete" }]);
    expect(response.usage?.output_tokens).toBe(16);
    expect(() => JSON.parse(response.output_text)).toThrow(SyntaxError);
  });

  test.each([
    [{ model: undefined }, 400, "model"],
    [{ model: "gpt-4-turbo" }, 404, "model"],
    [{ model: "gpt-image-2" }, 404, "model"],
    [{ input: undefined }, 400, "input"],
    [{ input: [] }, 400, "input"],
    [{ input: [{ role: "assistant", content: "x" }] }, 400, "input"],
    [{ input: [{ role: "user", content: [{ type: "input_image", image_url: "x" }] }] }, 400, "input[0].content[0]"],
    [{ max_output_tokens: 4 }, 400, "max_output_tokens"],
    [{ messages: [] }, 400, "messages"],
    [{ response_format: format }, 400, "response_format"],
    [{ stream: true }, 400, "stream"],
    [{ text: { format: { ...format, name: "no spaces" } } }, 400, "text.format.name"],
    [{ text: { format: { ...format, schema: { ...PIN_SCHEMA, required: ["title"] } } } }, 400, "text.format"],
    [{ safety_identifier: "x".repeat(65) }, 400, "safety_identifier"],
  ])("R-SRV-10 refused as the service would %#: %j", async (more, status, param) => {
    const answer = await sent({ ...order("x"), ...more });
    expect(answer.status).toBe(status);
    expect(answer.body.error.param).toContain(param);
    expect(answer.body.error.type).toBe("invalid_request_error");
  });

  test("R-SRV-10 a key is needed; calls are counted as text", async () => {
    expect((await post(openai.url, "/v1/responses", order("x"), "")).body.error.code).toBe("invalid_api_key");
    const before = await stateOf(openai.url);
    await ask("tea");
    const after = await stateOf(openai.url);
    expect(after.usage.textRequests).toBe((before.usage.textRequests ?? 0) + 1);
    expect(after.text.answered).toBe(before.text.answered + 1);
  });
});

describe("faults of the Responses API", () => {
  test("R-SRV-04 a refusal is a part of the message, and no text", async () => {
    await strike(openai.url, { match: PATH, scenario: "response_refusal" });
    const refused = await ask("tea");
    expect(refused.output_text).toBe("");
    expect(refused.output).toMatchObject([{ content: [{ type: "refusal", refusal: expect.any(String) }] }]);
    expect(spec.checkReply("POST", "/responses", 200, refused)).toEqual({ ok: true });
  });

  test.each([
    ["response_truncated", "incomplete", { reason: "max_output_tokens" }],
    ["response_content_filter", "incomplete", { reason: "content_filter" }],
    ["response_invalid_json", "completed", null],
  ])("R-SRV-04 %s is no JSON and ends %s", async (scenario, status, details) => {
    await strike(openai.url, { match: PATH, scenario });
    const response = await ask("tea");
    expect(response).toMatchObject({ status, incomplete_details: details });
    expect(() => JSON.parse(response.output_text)).toThrow(SyntaxError);
    expect(spec.checkReply("POST", "/responses", 200, response)).toEqual({ ok: true });
  });

  test("R-SRV-04 a response that failed has its error inside", async () => {
    await strike(openai.url, { match: PATH, scenario: "response_failed" });
    expect(await ask("tea")).toMatchObject({ status: "failed", error: { code: "server_error" }, output: [] });
  });

  test.each([
    ["insufficient_quota", 429, "insufficient_quota"],
    ["rate_limit_retry_after_ms", 429, "rate_limit_exceeded"],
    ["invalid_api_key", 401, "invalid_api_key"],
    ["model_not_found", 404, "model_not_found"],
    ["service_unavailable", 503, null],
  ])("R-SRV-04 %s reaches the official client as it is", async (scenario, status, code) => {
    await strike(openai.url, { match: PATH, scenario });
    await expect(ask("tea")).rejects.toMatchObject({ status, code });
    expect((await ask("tea")).status).toBe("completed");
  });

  test("R-SRV-04 a reply cut after the work was done is known to have been made", async () => {
    await strike(openai.url, { match: PATH, scenario: "cut_after_work" });
    await expect(ask("a lost answer")).rejects.toBeInstanceOf(OpenAI.APIConnectionError);
    await until(async () => (await stateOf(openai.url)).text.inFlight === 0);
    const { calls } = await (await fetch(`${openai.url}/__control/calls`)).json();
    const [last] = calls.slice(-1);
    expect(last).toMatchObject({ keyword: "a lost answer", path: "/v1/responses", end: "cut", isMade: true });
  });
});
