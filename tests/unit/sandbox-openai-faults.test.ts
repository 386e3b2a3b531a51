import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Handle } from "#sandbox/kit/serve.ts";
import { until } from "#tests/support/poll.ts";
import { askPicture, askText, bytesOf, start, strike } from "./sandbox-openai-client.ts";

const TEXT = "POST /v1/chat/completions";
const IMAGES = "POST /v1/images/generations";

let openai: Handle;
beforeAll(async () => {
  openai = await start();
});
afterAll(() => openai.close());

describe("faults", () => {
  test.each([
    ["rate_limit_exceeded", 429, "rate_limit_exceeded", {}],
    ["rate_limit_retry_after", 429, "rate_limit_exceeded", { "retry-after": "1" }],
    ["rate_limit_retry_after_ms", 429, "rate_limit_exceeded", { "retry-after-ms": "250" }],
    ["insufficient_quota", 429, "insufficient_quota", {}],
    ["invalid_api_key", 401, "invalid_api_key", {}],
    ["forbidden", 403, "model_not_allowed", {}],
    ["model_not_found", 404, "model_not_found", {}],
    ["server_error", 500, null, {}],
    ["service_unavailable", 503, null, {}],
  ])("R-SRV-04 %s strikes once, text and pictures alike", async (scenario, status, code, headers) => {
    expect((await strike(openai.url, { match: "POST /v1/*", scenario, times: 2 })).status).toBe(201);
    const text = await askText(openai.url, "tea");
    const picture = await askPicture(openai.url, "tea");
    for (const answer of [text, picture]) {
      expect(answer.status).toBe(status);
      expect(answer.body.error).toMatchObject({ code, message: expect.any(String), type: expect.any(String) });
      expect(Object.fromEntries(answer.headers)).toMatchObject(headers);
    }
    expect((await askText(openai.url, "tea")).status).toBe(200);
  });

  test.each(["moderation_blocked", "content_policy_violation"])("R-SRV-04 %s refuses a picture", async (scenario) => {
    await strike(openai.url, { match: IMAGES, scenario });
    const answer = await askPicture(openai.url, "tea");
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: scenario, type: "image_generation_user_error" });
    expect((await askPicture(openai.url, "tea")).status).toBe(200);
  });

  test("R-SRV-04 a refusal has no content", async () => {
    await strike(openai.url, { match: TEXT, scenario: "refusal" });
    const answer = await askText(openai.url, "tea");
    expect(answer.status).toBe(200);
    expect(answer.body.choices[0]?.message).toMatchObject({ content: null, refusal: expect.any(String) });
  });

  test.each([
    ["truncated", "length"],
    ["content_filter", "content_filter"],
    ["invalid_json", "stop"],
  ])("R-SRV-04 %s is no JSON and ends with %s", async (scenario, reason) => {
    await strike(openai.url, { match: TEXT, scenario });
    const [choice] = (await askText(openai.url, "tea")).body.choices;
    expect(choice?.finish_reason).toBe(reason);
    expect(() => JSON.parse(choice?.message.content ?? "")).toThrow(SyntaxError);
  });

  test("R-SRV-04 JSON of a wrong shape, overlong texts, and no choice at all", async () => {
    await strike(openai.url, { match: TEXT, scenario: "wrong_shape" });
    const [wrong] = (await askText(openai.url, "tea")).body.choices;
    expect(JSON.parse(wrong?.message.content ?? "")).not.toHaveProperty("title");
    await strike(openai.url, { match: TEXT, scenario: "too_long" });
    const [long] = (await askText(openai.url, "tea")).body.choices;
    expect(JSON.parse(long?.message.content ?? "").description.length).toBeGreaterThan(960);
    await strike(openai.url, { match: TEXT, scenario: "no_choices" });
    expect((await askText(openai.url, "tea")).body.choices).toEqual([]);
  });

  test("R-SRV-04 pictures without data, without an image, and with bytes that are none", async () => {
    await strike(openai.url, { match: IMAGES, scenario: "missing_data" });
    expect((await askPicture(openai.url, "tea")).body.data).toEqual([]);
    await strike(openai.url, { match: IMAGES, scenario: "missing_image" });
    expect((await askPicture(openai.url, "tea")).body.data).toEqual([{}]);
    await strike(openai.url, { match: IMAGES, scenario: "not_an_image" });
    expect(bytesOf(await askPicture(openai.url, "tea")).toString("utf8")).toContain("no picture");
  });

  test("R-SRV-04 hang never answers, cut breaks the connection, malformed is broken JSON", async () => {
    await strike(openai.url, { match: TEXT, scenario: "hang" });
    const headers = { authorization: "Bearer x" };
    const leaving = new AbortController();
    const { signal } = leaving;
    const hanging = fetch(`${openai.url}/v1/chat/completions`, { method: "POST", body: "{}", headers, signal });
    const faultsLeft = async () => (await fetch(`${openai.url}/__control/faults`)).text();
    await until(async () => (await faultsLeft()) === '{"faults":[]}', { what: "the fault strikes" });
    leaving.abort();
    await expect(hanging).rejects.toMatchObject({ name: "AbortError" });
    await strike(openai.url, { match: TEXT, scenario: "cut" });
    await expect(askText(openai.url, "tea")).rejects.toThrow("fetch failed");
    await strike(openai.url, { match: TEXT, scenario: "malformed" });
    await expect(askText(openai.url, "tea")).rejects.toThrow(SyntaxError);
  });

  test("R-SRV-04 a rule can wait for one keyword", async () => {
    await strike(openai.url, { match: IMAGES, scenario: "server_error", where: { keyword: "blue*" } });
    expect((await askPicture(openai.url, "red door", { size: "256x384" })).status).toBe(200);
    expect((await askPicture(openai.url, "blue door", { size: "256x384" })).status).toBe(500);
  });

  test("R-SRV-04 an unknown scenario is refused by the control address", async () => {
    expect((await strike(openai.url, { match: TEXT, scenario: "no_such_thing" })).status).toBe(400);
  });
});
