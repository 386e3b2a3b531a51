import type { FaultScenarios } from "#sandbox/kit/faults.ts";
import { scenarios } from "./scenarios.ts";

const ANY = "* /v1/*";
const CHAT = "POST /v1/chat/completions";
const RESPONSES = "POST /v1/responses";
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
  response_refusal: [RESPONSES, "The model refuses in words"],
  response_truncated: [RESPONSES, "The text ends in the middle: length"],
  response_content_filter: [RESPONSES, "The text ends in the middle: content filter"],
  response_invalid_json: [RESPONSES, "The text is no JSON"],
  response_failed: [RESPONSES, "200 with a failure inside"],
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
