import type { FaultScenarios, PreparedFault } from "#sandbox/kit/faults.ts";
import { tokenUsage } from "./chat.ts";
import { type ErrorFacts, errorBody, type JsonObject, moderationBlocked } from "./requests.ts";

const ANY = "* /v1/*";
const CHAT = "POST /v1/chat/completions";
const PICTURES = "POST /v1/images/generations";

const refuse = (about: string, status: number, message: string, type: string, code: string | null): PreparedFault => {
  return { match: ANY, about, status, body: errorBody({ message, type, param: null, code }) };
};
const refusePicture = (about: string, facts: ErrorFacts): PreparedFault => {
  return { match: PICTURES, about, status: 400, body: errorBody(facts) };
};
const rateLimit = (about: string, headers?: Record<string, string>): PreparedFault => ({
  ...refuse(about, 429, "Rate limit reached for this model. Try again shortly.", "requests", "rate_limit_exceeded"),
  ...(headers && { headers }),
});
/** A completion with this content, or a refusal in place of it. */
const complete = (about: string, content: string | null, finish_reason: string, refusal: string | null = null) => {
  const message = { role: "assistant", content, refusal };
  return { match: CHAT, about, body: completion([{ index: 0, message, logprobs: null, finish_reason }]) };
};
const picture = (about: string, data: readonly JsonObject[]): PreparedFault => {
  const usage = { input_tokens: 40, output_tokens: 0, total_tokens: 40 };
  const input_tokens_details = { text_tokens: 40, image_tokens: 0 };
  return { match: PICTURES, about, body: { created: CREATED, data, usage: { ...usage, input_tokens_details } } };
};

const CREATED = 1_780_000_000;
const HALF = '{"title": "A calm start with a small garden", "description": "Begin with the corner that gets the most';
const NO_PICTURE = Buffer.from("These bytes are no picture.\n").toString("base64");
const POLICY: ErrorFacts = {
  message: "The prompt goes against the content policy.",
  type: "image_generation_user_error",
  param: null,
  code: "content_policy_violation",
};

function completion(choices: JsonObject[]): JsonObject {
  const usage = tokenUsage(120, 40);
  return { id: "chatcmpl-fault", object: "chat.completion", created: CREATED, model: "gpt-5.4-mini", choices, usage };
}

/** A pin of the right shape whose every text breaks Pinterest's limits. */
function overlongPin(): string {
  const text = (chars: number) => "An overlong answer. ".repeat(Math.ceil(chars / 20));
  return JSON.stringify({ title: text(160), description: text(1_200), alt_text: text(700) });
}

/** The prepared faults, to name in `POST /__control/faults {scenario, …}`; each strikes at `match` unless told otherwise. */
export const OPENAI_SCENARIOS: FaultScenarios = {
  rate_limit_exceeded: rateLimit("429: too many requests"),
  rate_limit_retry_after: rateLimit("429 with Retry-After: 1", { "retry-after": "1" }),
  rate_limit_retry_after_ms: rateLimit("429 with retry-after-ms: 250", { "retry-after-ms": "250" }),
  insufficient_quota: refuse(
    "429: the quota is used up, waiting does not help",
    429,
    "The quota of this organization is used up; check plan and billing.",
    "insufficient_quota",
    "insufficient_quota",
  ),
  invalid_api_key: refuse(
    "401: the key is wrong",
    401,
    "Incorrect API key provided.",
    "invalid_request_error",
    "invalid_api_key",
  ),
  forbidden: refuse(
    "403: the project may not use this model",
    403,
    "This project may not use the requested model.",
    "invalid_request_error",
    "model_not_allowed",
  ),
  model_not_found: refuse(
    "404: the model is retired",
    404,
    "The requested model does not exist here or has been retired.",
    "invalid_request_error",
    "model_not_found",
  ),
  server_error: refuse("500", 500, "The server had an error while working on the request.", "server_error", null),
  service_unavailable: refuse("503", 503, "The engine is overloaded.", "service_unavailable_error", null),
  hang: { match: ANY, about: "No answer, nothing is done", hang: true },
  cut: { match: ANY, about: "The connection ends, nothing is done", cut: true },
  cut_after_work: {
    match: ANY,
    about: "The work is done, the connection ends without an answer",
    cut: true,
    after: "creating",
  },
  slow: { match: ANY, about: "The right answer, a minute late", delayMs: 60_000 },
  malformed: { match: ANY, about: "Broken JSON", malformed: true },

  refusal: complete("The model refuses in words", null, "stop", "I'm sorry, but I can't help with that request."),
  truncated: complete("The text ends in the middle: length", HALF, "length"),
  content_filter: complete("The text ends in the middle: content filter", HALF, "content_filter"),
  invalid_json: complete("The text is no JSON", `Here is your pin: ${HALF}`, "stop"),
  wrong_shape: complete("JSON of another shape", '{"headline": 7}', "stop"),
  too_long: complete("A pin whose texts break every limit", overlongPin(), "stop"),
  no_choices: { match: CHAT, about: "No choice in the answer", body: completion([]) },

  moderation_blocked: refusePicture("400: blocked by moderation", moderationBlocked),
  content_policy_violation: refusePicture("400: against the content policy", POLICY),
  missing_data: picture("An answer without pictures", []),
  missing_image: picture("A picture without bytes", [{}]),
  not_an_image: picture("Bytes that are no picture", [{ b64_json: NO_PICTURE }]),
};
