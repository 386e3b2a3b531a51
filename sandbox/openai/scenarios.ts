import type { FaultScenarios } from "#sandbox/kit/faults.ts";
import { type ErrorFacts, errorBody } from "./api-error.ts";
import { moderationBlocked } from "./blocked.ts";
import { tokenUsage } from "./chat.ts";
import type { JsonObject } from "./request-check.ts";
import { messageItem, type Outcome, responseBody, responseUsage } from "./response-body.ts";

const rateLimit = errorBody(
  fact("Rate limit reached for this model. Try again shortly.", "requests", "rate_limit_exceeded"),
);
const quota = fact(
  "The quota of this organisation is used up; check plan and billing.",
  "insufficient_quota",
  "insufficient_quota",
);
const wrongKey = fact("Incorrect API key provided.", "invalid_request_error", "invalid_api_key");
const noAccess = fact("This project may not use the requested model.", "invalid_request_error", "model_not_allowed");
const noModel = fact(
  "The requested model does not exist here or has been retired.",
  "invalid_request_error",
  "model_not_found",
);
const contentPolicy = fact(
  "The prompt goes against the content policy.",
  "image_generation_user_error",
  "content_policy_violation",
);
const failed = fact("The server had an error while working on the request.", "server_error", null);
const overloaded = fact("The engine is overloaded; try again later.", "service_unavailable_error", null);

const REFUSAL = "I'm sorry, but I can't help with that request.";
const HALF = '{"title": "A calm start with a small garden", "description": "Begin with the corner that gets the most';

/** A response can fail after it was accepted: status 200, and the error inside. */
const FAILED = {
  ...{ status: "failed", completed_at: null, output: [] },
  error: { code: "server_error", message: "The model failed to answer." },
};

/**
 * Named faults for `POST /__control/faults` as `{match, scenario, times}`. Chat faults belong to
 * `POST /v1/chat/completions`, those named `response_…` to `POST /v1/responses`, picture faults to
 * `POST /v1/images/generations`, the others to any.
 */
export const scenarios = {
  rate_limit_exceeded: { status: 429, body: rateLimit },
  rate_limit_retry_after: { status: 429, body: rateLimit, headers: { "retry-after": "1" } },
  rate_limit_retry_after_ms: { status: 429, body: rateLimit, headers: { "retry-after-ms": "250" } },
  insufficient_quota: { status: 429, body: errorBody(quota) },
  invalid_api_key: { status: 401, body: errorBody(wrongKey) },
  forbidden: { status: 403, body: errorBody(noAccess) },
  model_not_found: { status: 404, body: errorBody({ ...noModel, param: "model" }) },
  server_error: { status: 500, body: errorBody(failed) },
  service_unavailable: { status: 503, body: errorBody(overloaded) },
  hang: { hang: true },
  cut: { cut: true },
  cut_after_work: { cut: true, after: "creating" },
  slow: { delayMs: 60_000 },
  malformed: { malformed: true },

  refusal: { body: completion({ content: null, refusal: REFUSAL }, "stop") },
  truncated: { body: completion({ content: HALF, refusal: null }, "length") },
  content_filter: { body: completion({ content: HALF, refusal: null }, "content_filter") },
  invalid_json: { body: completion({ content: `Here is your pin: ${HALF}`, refusal: null }, "stop") },
  wrong_shape: { body: completion({ content: '{"headline": 7}', refusal: null }, "stop") },
  too_long: { body: completion({ content: overlongPin(), refusal: null }, "stop") },
  no_choices: { body: { ...completion({ content: "", refusal: null }, "stop"), choices: [] } },

  response_refusal: { body: response({ type: "refusal", refusal: REFUSAL }, "completed") },
  response_truncated: { body: response(outputText(HALF), "max_output_tokens") },
  response_content_filter: { body: response(outputText(HALF), "content_filter") },
  response_invalid_json: { body: response(outputText(`Here is your pin: ${HALF}`), "completed") },
  response_failed: { body: { ...response(outputText(""), "completed"), ...FAILED } },

  moderation_blocked: { status: 400, body: errorBody(moderationBlocked) },
  content_policy_violation: { status: 400, body: errorBody(contentPolicy) },
  missing_data: { body: pictures([]) },
  missing_image: { body: pictures([{}]) },
  not_an_image: { body: pictures([{ b64_json: Buffer.from("These bytes are no picture.\n").toString("base64") }]) },
} as const satisfies FaultScenarios;

function fact(message: string, type: string, code: string | null): ErrorFacts {
  return { message, type, param: null, code };
}

function completion(message: { content: string | null; refusal: string | null }, finishReason: string): JsonObject {
  return {
    id: "chatcmpl-fault",
    object: "chat.completion",
    created: 1_780_000_000,
    model: "gpt-5.4-mini",
    choices: [{ index: 0, message: { role: "assistant", ...message }, logprobs: null, finish_reason: finishReason }],
    usage: tokenUsage(120, 40),
  };
}

function response(part: JsonObject, outcome: Outcome): JsonObject {
  const output = [messageItem(part, outcome)];
  const model = "gpt-5.4-mini";
  return responseBody({ id: "resp_fault", model, outcome, output, usage: responseUsage(120, 40), at: 1_780_000_000 });
}

function outputText(text: string): JsonObject {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

/** A pin of the right shape whose every text breaks Pinterest's limits. */
function overlongPin(): string {
  const text = (chars: number) => "An overlong answer. ".repeat(Math.ceil(chars / 20));
  return JSON.stringify({ title: text(160), description: text(1_200), alt_text: text(700) });
}

function pictures(data: readonly JsonObject[]): JsonObject {
  const usage = { input_tokens: 40, output_tokens: 0, total_tokens: 40 };
  const input_tokens_details = { text_tokens: 40, image_tokens: 0 };
  return { created: 1_780_000_000, data, usage: { ...usage, input_tokens_details } };
}
