import { randomUUID } from "node:crypto";
import type { Context } from "hono";
import { isSimulating } from "#sandbox/kit/faults.ts";
import type { StandInEnv } from "#sandbox/kit/serve.ts";
import type { Spec } from "#sandbox/kit/spec.ts";
import { estimateTokens, readResponseFormat, truncateToTokens, writeCompletion } from "./completions.ts";
import {
  assertModel,
  assertOfficial,
  assertSupported,
  invalidRequest,
  type JsonObject,
  promptOf,
  readBody,
} from "./requests.ts";
import { withLatency } from "./seed.ts";
import type { OpenAiSettings } from "./settings.ts";

/** The fields that the product uses; any other field is rejected. */
const SUPPORTED_FIELDS = ["model", "messages", "response_format", "max_completion_tokens", "safety_identifier"];

/** `POST /v1/chat/completions`: one structured response about the keyword in the last user message. */
export async function completeChat(c: Context<StandInEnv>, spec: Spec, settings: OpenAiSettings): Promise<Response> {
  const body = await readBody(c);
  assertOfficial(spec, "/chat/completions", body);
  const model = String(body.model);
  assertModel(model, "text");
  assertSupported(body, SUPPORTED_FIELDS);
  const format = readResponseFormat(body.response_format);
  const prompt = requireUserText(promptOf(body));
  const latency = { ms: settings.textLatencyMs, spread: settings.latencySpread };
  const full = await withLatency(prompt, latency, () =>
    writeCompletion(prompt, format, { invents: isSimulating(c, "invented_number") }),
  );
  const { content, isCut } = truncateToTokens(full, body.max_completion_tokens);
  const message = { role: "assistant", content, refusal: null, annotations: [] };
  return c.json({
    id: `chatcmpl-${randomUUID().replaceAll("-", "")}`,
    object: "chat.completion",
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: isCut ? "length" : "stop" }],
    usage: tokenUsage(estimateTokens(JSON.stringify(body.messages)), estimateTokens(content)),
    service_tier: "default",
  });
}

export function tokenUsage(inputTokens: number, outputTokens: number): JsonObject {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
}

/** @throws ApiError 400 if there is no user text. */
function requireUserText(text: string): string {
  if (text === "") throw invalidRequest("The messages contain no user text.", "messages", "invalid_value");
  return text;
}
