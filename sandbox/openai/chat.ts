import { randomUUID } from "node:crypto";
import type { Context } from "hono";
import type { StandInEnv } from "#sandbox/kit/serve.ts";
import type { Spec } from "#sandbox/kit/spec.ts";
import { cutToTokens, estimateTokens, readAnswerFormat, writeAnswer } from "./answers.ts";
import { assertModel, assertOfficial, invalidRequest, type JsonObject, promptOf, readBody } from "./requests.ts";
import { withLatency } from "./seed.ts";
import type { OpenAiSettings } from "./settings.ts";

/** What the official service can do and this stand-in does not: refused rather than ignored. */
const NOT_PLAYED = ["stream", "tools", "functions", "audio", "web_search_options"] as const;

/** `POST /v1/chat/completions`: one structured or plain answer about the keyword in the last user message. */
export async function completeChat(c: Context<StandInEnv>, spec: Spec, settings: OpenAiSettings): Promise<Response> {
  const body = await readBody(c);
  assertOfficial(spec, "/chat/completions", body);
  const model = String(body.model);
  assertModel(model, "text");
  assertPlayed(body);
  const format = readAnswerFormat(body.response_format);
  const prompt = neededUserText(promptOf(body));
  const latency = { ms: settings.textLatencyMs, spread: settings.latencySpread };
  const full = await withLatency(prompt, latency, () => writeAnswer(prompt, format));
  const { content, isCut } = cutToTokens(full, body.max_completion_tokens ?? body.max_tokens);
  const finishReason = isCut ? "length" : "stop";
  const count = typeof body.n === "number" ? body.n : 1;
  const inputTokens = estimateTokens(JSON.stringify(body.messages));
  const outputTokens = estimateTokens(content) * count;
  return c.json({
    id: `chatcmpl-${randomUUID().replaceAll("-", "")}`,
    object: "chat.completion",
    created: Math.floor(Date.now() / 1000),
    model,
    choices: Array.from({ length: count }, (_, index) => choice(index, content, finishReason)),
    usage: tokenUsage(inputTokens, outputTokens),
    service_tier: "default",
  });
}

function choice(index: number, content: string, finishReason: "stop" | "length"): JsonObject {
  const message = { role: "assistant", content, refusal: null, annotations: [] };
  return { index, message, logprobs: null, finish_reason: finishReason };
}

/** The `usage` object of a completion. */
export function tokenUsage(inputTokens: number, outputTokens: number): JsonObject {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
}

/** @throws ApiError 400 when a request asks for what this stand-in cannot do. */
function assertPlayed(body: JsonObject): void {
  const isAsked = (value: unknown) => value !== undefined && value !== null && value !== false;
  const asked = NOT_PLAYED.find((name) => isAsked(body[name]));
  if (asked) throw invalidRequest(`The OpenAI stand-in does not play '${asked}'.`, asked, "unsupported_parameter");
}

/** The text of the last user message. @throws ApiError 400 when there is none. */
function neededUserText(text: string): string {
  if (text === "") throw invalidRequest("The messages hold no text from a user.", "messages", "invalid_value");
  return text;
}
