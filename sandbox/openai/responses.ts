import { randomUUID } from "node:crypto";
import type { Context } from "hono";
import type { StandInEnv } from "#sandbox/kit/serve.ts";
import { invalidRequest } from "./api-error.ts";
import { markMade } from "./call-book.ts";
import { assertPlayed, neededUserText, type TextOptions } from "./chat.ts";
import { withLatency } from "./latency.ts";
import { assertModel } from "./models.ts";
import { promptOf } from "./prompt-of.ts";
import { assertOfficial, isJsonObject, type JsonObject, readBody } from "./request-check.ts";
import { messageItem, type Outcome, responseBody, responseUsage } from "./response-body.ts";
import { readTextFormat } from "./strict-schema.ts";
import { estimateTokens } from "./usage.ts";
import { cutToTokens, writeAnswer } from "./write-answer.ts";

/** What the official service can do and this stand-in does not: refused rather than ignored. */
const NOT_PLAYED = ["stream", "background", "tools", "previous_response_id", "conversation", "prompt"] as const;

/** What a reply repeats of its request. */
const REPEATED = [
  ...["instructions", "max_output_tokens", "metadata", "parallel_tool_calls", "prompt_cache_key", "reasoning"],
  ...["safety_identifier", "store", "temperature", "text", "tool_choice", "top_p", "truncation", "user"],
];

/** `POST /v1/responses`: one structured or plain answer about the keyword in the last user text of `input`. */
export async function createResponse(c: Context<StandInEnv>, { spec, usage, latency }: TextOptions): Promise<Response> {
  const body = await readBody(c);
  const { model } = body;
  if (typeof model !== "string") {
    throw invalidRequest("Missing required parameter: 'model'.", "model", "missing_required_parameter");
  }
  assertOfficial(spec, "/responses", { ...body, input: describedInput(body.input) });
  assertModel(model, "text");
  assertPlayed(body, NOT_PLAYED);
  const format = readTextFormat(isJsonObject(body.text) ? body.text.format : undefined);
  const prompt = neededUserText(promptOf(body), "input");
  const full = await withLatency(prompt, latency, () => writeAnswer(prompt, format, "text.format"));
  const { content, isCut } = cutToTokens(full, body.max_output_tokens);
  const inputTokens = estimateTokens(JSON.stringify([body.instructions, body.input]));
  const outputTokens = estimateTokens(content);
  markMade(c);
  usage.record({ kind: "text", model, images: 0, inputTokens, outputTokens });
  const outcome: Outcome = isCut ? "max_output_tokens" : "completed";
  const repeated = Object.fromEntries(REPEATED.filter((name) => name in body).map((name) => [name, body[name]]));
  return c.json({
    ...responseBody({
      id: `resp_${randomUUID().replaceAll("-", "")}`,
      model,
      outcome,
      output: [messageItem({ type: "output_text", text: content, annotations: [], logprobs: [] }, outcome)],
      usage: responseUsage(inputTokens, outputTokens),
    }),
    ...withoutNulls(repeated),
  });
}

/**
 * The published description allows a message with a list of parts for two kinds of item at once, and so for none.
 * The parts are checked here; the rest of the message there.
 */
function describedInput(input: unknown): unknown {
  if (input === undefined)
    throw invalidRequest("Missing required parameter: 'input'.", "input", "missing_required_parameter");
  if (!Array.isArray(input)) return input;
  return input.map((item: unknown, index) => {
    if (!isJsonObject(item) || !Array.isArray(item.content)) return item;
    const wrong = item.content.findIndex((part) => !isTextPart(part));
    if (wrong === -1) return { ...item, content: "" };
    const place = `input[${index}].content[${wrong}]`;
    throw invalidRequest(`The OpenAI stand-in reads text parts only: ${place}.`, place, "invalid_value");
  });
}

function isTextPart(part: unknown): boolean {
  const isText = isJsonObject(part) && (part.type === "input_text" || part.type === "output_text");
  return isText && typeof part.text === "string";
}

/** A null asks for the default, which the reply names. */
function withoutNulls(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
