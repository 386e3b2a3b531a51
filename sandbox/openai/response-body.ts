import { randomUUID } from "node:crypto";
import type { JsonObject } from "./request-check.ts";

/** How a response ended: whole, or cut for a reason. */
export type Outcome = "completed" | "max_output_tokens" | "content_filter";

type Facts = { id: string; model: string; outcome: Outcome; output: JsonObject[]; usage: JsonObject; at?: number };

/** The object of the Responses API with the defaults of everything that a request did not set. */
export function responseBody({ id, model, outcome, output, usage, at }: Facts): JsonObject {
  const createdAt = at ?? Math.floor(Date.now() / 1000);
  const isWhole = outcome === "completed";
  return {
    id,
    object: "response",
    created_at: createdAt,
    completed_at: isWhole ? createdAt : null,
    status: statusOf(outcome),
    error: null,
    incomplete_details: isWhole ? null : { reason: outcome },
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model,
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    service_tier: "default",
    store: true,
    temperature: 1,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    truncation: "disabled",
    usage,
  };
}

/** The one message of a response, holding text or a refusal. */
export function messageItem(part: JsonObject, outcome: Outcome): JsonObject {
  const id = `msg_${randomUUID().replaceAll("-", "")}`;
  return { id, type: "message", role: "assistant", status: statusOf(outcome), content: [part] };
}

/** The `usage` object of a response. */
export function responseUsage(inputTokens: number, outputTokens: number): JsonObject {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
}

function statusOf(outcome: Outcome): "completed" | "incomplete" {
  return outcome === "completed" ? "completed" : "incomplete";
}
