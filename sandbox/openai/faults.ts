import type { FaultScenarios } from "#sandbox/kit/faults.ts";
import { tokenUsage } from "./chat.ts";
import { type ErrorFacts, errorBody, type JsonObject, moderationBlocked } from "./requests.ts";

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

/**
 * Named faults for `POST /__control/faults` as `{match, scenario, times}`. Chat faults belong to
 * `POST /v1/chat/completions`, picture faults to `POST /v1/images/generations`, the others to any.
 */
const scenarios = {
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

const ANY = "* /v1/*";
const CHAT = "POST /v1/chat/completions";
const PICTURES = "POST /v1/images/generations";

/** Where each prepared fault belongs, and what it is in words. */
const PLACES: Record<keyof typeof scenarios, [match: string, about: string]> = {
  rate_limit_exceeded: [ANY, "429: too many requests"],
  rate_limit_retry_after: [ANY, "429 with Retry-After: 1"],
  rate_limit_retry_after_ms: [ANY, "429 with retry-after-ms: 250"],
  insufficient_quota: [ANY, "429: the quota is used up, waiting does not help"],
  invalid_api_key: [ANY, "401: the key is wrong"],
  forbidden: [ANY, "403: the project may not use this model"],
  model_not_found: [ANY, "404: the model is retired"],
  server_error: [ANY, "500"],
  service_unavailable: [ANY, "503"],
  hang: [ANY, "No answer, nothing is done"],
  cut: [ANY, "The connection ends, nothing is done"],
  cut_after_work: [ANY, "The work is done, the connection ends without an answer"],
  slow: [ANY, "The right answer, a minute late"],
  malformed: [ANY, "Broken JSON"],
  refusal: [CHAT, "The model refuses in words"],
  truncated: [CHAT, "The text ends in the middle: length"],
  content_filter: [CHAT, "The text ends in the middle: content filter"],
  invalid_json: [CHAT, "The text is no JSON"],
  wrong_shape: [CHAT, "JSON of another shape"],
  too_long: [CHAT, "A pin whose texts break every limit"],
  no_choices: [CHAT, "No choice in the answer"],
  moderation_blocked: [PICTURES, "400: blocked by moderation"],
  content_policy_violation: [PICTURES, "400: against the content policy"],
  missing_data: [PICTURES, "An answer without pictures"],
  missing_image: [PICTURES, "A picture without bytes"],
  not_an_image: [PICTURES, "Bytes that are no picture"],
};

/** The prepared faults with the calls they belong to, so that one can be switched on by its name alone. */
export const PLACED_SCENARIOS: FaultScenarios = Object.fromEntries(
  Object.entries(PLACES).map(([name, [match, about]]) => [name, { match, about, ...scenarioOf(name) }]),
);

function scenarioOf(name: string): FaultScenarios[string] {
  const all: FaultScenarios = scenarios;
  return all[name] ?? {};
}
