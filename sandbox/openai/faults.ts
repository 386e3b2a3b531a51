import { commonFaults, doneFaults, type FaultScenarios, type PreparedFault } from "#sandbox/kit/faults.ts";
import type { JsonObject } from "#sandbox/kit/values.ts";
import { tokenUsage } from "./chat.ts";
import { type ErrorDetails, moderationBlocked } from "./requests.ts";

const ANY = "* /v1/*";
const CHAT = "POST /v1/chat/completions";
const IMAGES = "POST /v1/images/generations";
const INVALID = "invalid_request_error";
const QUOTA = "insufficient_quota";

const refuse = (about: string, status: number, message: string, type: string, code: string | null): PreparedFault => {
  return { match: ANY, about, status, body: { error: { message, type, param: null, code } } };
};
const refuseImage = (about: string, details: ErrorDetails): PreparedFault => {
  return { match: IMAGES, about, status: 400, body: { error: details } };
};
const rateLimit = (about: string, headers?: Record<string, string>): PreparedFault => ({
  ...refuse(about, 429, "Rate limit reached for this model. Try again shortly.", "requests", "rate_limit_exceeded"),
  ...(headers && { headers }),
});
const complete = (about: string, content: string | null, finish_reason: string, refusal: string | null = null) => {
  const message = { role: "assistant", content, refusal };
  return { match: CHAT, about, body: completion([{ index: 0, message, logprobs: null, finish_reason }]) };
};
const image = (about: string, data: readonly JsonObject[]): PreparedFault => {
  const usage = { input_tokens: 40, output_tokens: 0, total_tokens: 40 };
  const input_tokens_details = { text_tokens: 40, image_tokens: 0 };
  return { match: IMAGES, about, body: { created: CREATED, data, usage: { ...usage, input_tokens_details } } };
};

const CREATED = 1_780_000_000;
const HALF = '{"title": "A calm start with a small garden", "description": "Begin with the corner that gets the most';
const NO_IMAGE = Buffer.from("These bytes are not an image.\n").toString("base64");
const POLICY: ErrorDetails = {
  message: "The prompt violates the content policy.",
  type: "image_generation_user_error",
  param: null,
  code: "content_policy_violation",
};

function completion(choices: JsonObject[]): JsonObject {
  const usage = tokenUsage(120, 40);
  return { id: "chatcmpl-fault", object: "chat.completion", created: CREATED, model: "gpt-5.4-mini", choices, usage };
}

/** A valid pin whose texts all exceed Pinterest's limits. */
function overlongPin(): string {
  const text = (chars: number) => "An overlong answer. ".repeat(Math.ceil(chars / 20));
  return JSON.stringify({ title: text(160), description: text(1_200), alt_text: text(700) });
}

export const OPENAI_SCENARIOS: FaultScenarios = {
  rate_limit_exceeded: rateLimit("429: too many requests"),
  rate_limit_retry_after: rateLimit("429 with Retry-After: 1", { "retry-after": "1" }),
  rate_limit_retry_after_ms: rateLimit("429 with retry-after-ms: 250", { "retry-after-ms": "250" }),
  insufficient_quota: refuse(
    "429: no quota is left, retrying does not help",
    429,
    "The quota is used up.",
    QUOTA,
    QUOTA,
  ),
  invalid_api_key: refuse("401: the key is wrong", 401, "Incorrect API key provided.", INVALID, "invalid_api_key"),
  forbidden: refuse("403: no access to the model", 403, "This project may not use it.", INVALID, "model_not_allowed"),
  model_not_found: refuse("404: the model is retired", 404, "The model is retired.", INVALID, "model_not_found"),
  server_error: refuse("500", 500, "The server had an error while working on the request.", "server_error", null),
  service_unavailable: refuse("503", 503, "The engine is overloaded.", "service_unavailable_error", null),
  ...commonFaults(ANY),
  cut_after_work: doneFaults(ANY, "The work is done").lost,
  slow: { match: ANY, about: "A normal response, a minute late", delayMs: 60_000 },

  refusal: complete("The model refuses", null, "stop", "I'm sorry, but I can't help with that request."),
  truncated: complete("The text is truncated: length", HALF, "length"),
  content_filter: complete("The text is truncated: content filter", HALF, "content_filter"),
  invalid_json: complete("The text is not JSON", `Here is your pin: ${HALF}`, "stop"),
  wrong_shape: complete("JSON with other fields", '{"headline": 7}', "stop"),
  too_long: complete("A pin whose texts exceed every limit", overlongPin(), "stop"),
  invented_number: { match: CHAT, about: "A text with a price and a percentage that are made up" },
  no_choices: { match: CHAT, about: "A response without choices", body: completion([]) },

  moderation_blocked: refuseImage("400: blocked by moderation", moderationBlocked),
  content_policy_violation: refuseImage("400: violates the content policy", POLICY),
  missing_data: image("A response without images", []),
  missing_image: image("An image without bytes", [{}]),
  not_an_image: image("Bytes that are not an image", [{ b64_json: NO_IMAGE }]),
};
