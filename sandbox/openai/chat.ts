import { randomUUID } from "node:crypto";
import type { Context } from "hono";
import { z } from "zod";
import { isSimulating } from "#sandbox/kit/faults.ts";
import type { StandInEnv } from "#sandbox/kit/serve.ts";
import type { Spec } from "#sandbox/kit/spec.ts";
import type { JsonObject } from "#sandbox/kit/values.ts";
import { captionOf, type PinCopy, writePinCopy } from "./copy.ts";
import { readPinRequest } from "./keyword.ts";
import { assertModel, assertOfficial, assertSupported, invalidRequest, promptOf, readBody } from "./requests.ts";
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
  const prompt = promptOf(body);
  if (prompt === "") throw invalidRequest("The messages contain no user text.", "messages", "invalid_value");
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

/** A strict schema closes its object and requires every property. Only texts are supported. */
const strictSchema = z
  .object({
    type: z.literal("object"),
    additionalProperties: z.literal(false),
    properties: z.record(z.string(), z.object({ type: z.literal("string") })),
    required: z.array(z.string()),
  })
  .superRefine(({ properties, required }, problems) => {
    const missing = Object.keys(properties).find((name) => !required.includes(name));
    if (missing !== undefined) problems.addIssue(`'required' must name every property; '${missing}' is missing`);
  });
const responseFormat = z.object({
  type: z.literal("json_schema"),
  json_schema: z.object({
    name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    strict: z.literal(true),
    schema: strictSchema,
  }),
});

/** The property names of a JSON schema. @throws ApiError 400 for any other format. */
function readResponseFormat(format: unknown): readonly string[] {
  const read = responseFormat.safeParse(format);
  if (read.success) return Object.keys(read.data.json_schema.schema.properties);
  const [issue] = read.error.issues;
  const path = issue?.path ?? [];
  const param = ["response_format", ...(path.includes("schema") ? [] : path)].join(".");
  throw invalidRequest(`Invalid '${param}' at ${path.join(".")}: ${issue?.message}`, param, "invalid_value");
}

/** Begins the description of a pin whose numbers a model made up. */
const INVENTED = "Only $1,947.35 today, which is 87% less.";

/** The content of a response: JSON with a text for each of these names. `invents`: with numbers that it made up. */
function writeCompletion(prompt: string, names: readonly string[], { invents = false } = {}): string {
  const request = readPinRequest(prompt);
  const written = writePinCopy(request);
  const copy = invents ? { ...written, description: INVENTED } : written;
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, textFor(name, copy, request.keyword)])));
}

function textFor(name: string, copy: PinCopy, keyword: string): string {
  if (name.includes("alt")) return copy.altText;
  if (name.includes("title")) return copy.title;
  return name.includes("description") ? copy.description : captionOf(keyword);
}

const CHARS_PER_TOKEN = 4;

/** A rough estimate: four characters per token, at least one. */
export function estimateTokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / CHARS_PER_TOKEN));
}

/** Truncates at the token limit; anything but a number means no limit. */
function truncateToTokens(content: string, limit: unknown): { content: string; isCut: boolean } {
  if (typeof limit !== "number" || estimateTokens(content) <= limit) return { content, isCut: false };
  return { content: content.slice(0, Math.max(0, limit * CHARS_PER_TOKEN)), isCut: true };
}
