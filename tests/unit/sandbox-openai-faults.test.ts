import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Handle } from "#sandbox/kit/serve.ts";
import { until } from "#tests/support/poll.ts";
import { addFault, bytesOf, requestImage, requestText, start } from "./sandbox-openai-client.ts";

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
  ])("R-SRV-04 %s affects one call, for text and images", async (scenario, status, code, headers) => {
    expect((await addFault(openai.url, { match: "POST /v1/*", scenario, times: 2 })).status).toBe(201);
    const text = await requestText(openai.url, "tea");
    const image = await requestImage(openai.url, "tea");
    for (const answer of [text, image]) {
      expect(answer.status).toBe(status);
      expect(answer.body.error).toMatchObject({ code, message: expect.any(String), type: expect.any(String) });
      expect(Object.fromEntries(answer.headers)).toMatchObject(headers);
    }
    expect((await requestText(openai.url, "tea")).status).toBe(200);
  });

  test.each(["moderation_blocked", "content_policy_violation"])("R-SRV-04 %s rejects an image", async (scenario) => {
    await addFault(openai.url, { match: IMAGES, scenario });
    const answer = await requestImage(openai.url, "tea");
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: scenario, type: "image_generation_user_error" });
    expect((await requestImage(openai.url, "tea")).status).toBe(200);
  });

  test("R-SRV-04 an invented number is in a text that is otherwise usual", async () => {
    await addFault(openai.url, { match: TEXT, scenario: "invented_number" });
    const contents = [await requestText(openai.url, "tea"), await requestText(openai.url, "tea")].map(
      ({ body }) => body.choices[0]?.message.content ?? "",
    );
    expect(contents.map((content) => /1,947\.35/.test(content))).toEqual([true, false]);
    expect(JSON.parse(contents[0] ?? "").title).toBe(JSON.parse(contents[1] ?? "").title);
  });

  test("R-SRV-04 a refusal has no content", async () => {
    await addFault(openai.url, { match: TEXT, scenario: "refusal" });
    const answer = await requestText(openai.url, "tea");
    expect(answer.status).toBe(200);
    expect(answer.body.choices[0]?.message).toMatchObject({ content: null, refusal: expect.any(String) });
  });

  test.each([
    ["truncated", "length"],
    ["content_filter", "content_filter"],
    ["invalid_json", "stop"],
  ])("R-SRV-04 %s is not JSON and ends with %s", async (scenario, reason) => {
    await addFault(openai.url, { match: TEXT, scenario });
    const [choice] = (await requestText(openai.url, "tea")).body.choices;
    expect(choice?.finish_reason).toBe(reason);
    expect(() => JSON.parse(choice?.message.content ?? "")).toThrow(SyntaxError);
  });

  test("R-SRV-04 JSON of a wrong shape, overlong texts, and no choices", async () => {
    await addFault(openai.url, { match: TEXT, scenario: "wrong_shape" });
    const [wrong] = (await requestText(openai.url, "tea")).body.choices;
    expect(JSON.parse(wrong?.message.content ?? "")).not.toHaveProperty("title");
    await addFault(openai.url, { match: TEXT, scenario: "too_long" });
    const [long] = (await requestText(openai.url, "tea")).body.choices;
    expect(JSON.parse(long?.message.content ?? "").description.length).toBeGreaterThan(960);
    await addFault(openai.url, { match: TEXT, scenario: "no_choices" });
    expect((await requestText(openai.url, "tea")).body.choices).toEqual([]);
  });

  test("R-SRV-04 image responses without data, without an image, and with invalid bytes", async () => {
    await addFault(openai.url, { match: IMAGES, scenario: "missing_data" });
    expect((await requestImage(openai.url, "tea")).body.data).toEqual([]);
    await addFault(openai.url, { match: IMAGES, scenario: "missing_image" });
    expect((await requestImage(openai.url, "tea")).body.data).toEqual([{}]);
    await addFault(openai.url, { match: IMAGES, scenario: "not_an_image" });
    expect(bytesOf(await requestImage(openai.url, "tea")).toString("utf8")).toContain("not an image");
  });

  test("R-SRV-04 hang never responds, cut closes the connection, malformed is broken JSON", async () => {
    await addFault(openai.url, { match: TEXT, scenario: "hang" });
    const headers = { authorization: "Bearer x" };
    const leaving = new AbortController();
    const { signal } = leaving;
    const hanging = fetch(`${openai.url}/v1/chat/completions`, { method: "POST", body: "{}", headers, signal });
    const faultsLeft = async () => (await fetch(`${openai.url}/__control/faults`)).text();
    await until(async () => (await faultsLeft()) === '{"faults":[]}', { what: "the fault to occur" });
    leaving.abort();
    await expect(hanging).rejects.toMatchObject({ name: "AbortError" });
    await addFault(openai.url, { match: TEXT, scenario: "cut" });
    await expect(requestText(openai.url, "tea")).rejects.toThrow("fetch failed");
    await addFault(openai.url, { match: TEXT, scenario: "malformed" });
    await expect(requestText(openai.url, "tea")).rejects.toThrow(SyntaxError);
  });

  test("R-SRV-04 a rule can be limited to one keyword", async () => {
    await addFault(openai.url, { match: IMAGES, scenario: "server_error", where: { keyword: "blue*" } });
    expect((await requestImage(openai.url, "red door", { size: "256x384" })).status).toBe(200);
    expect((await requestImage(openai.url, "blue door", { size: "256x384" })).status).toBe(500);
  });

  test("R-SRV-04 the control API rejects an unknown scenario", async () => {
    expect((await addFault(openai.url, { match: TEXT, scenario: "no_such_thing" })).status).toBe(400);
  });
});
