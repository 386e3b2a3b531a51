import type { Context, MiddlewareHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { StandInEnv } from "#sandbox/kit/serve.ts";
import type { Spec } from "#sandbox/kit/spec.ts";
import { isObject, isSameText, type JsonObject } from "#sandbox/kit/values.ts";

export type ErrorDetails = { message: string; type: string; param: string | null; code: string | null };

/** An error response of OpenAI: `{error: {message, type, param, code}}` with a status. */
export class ApiError extends Error {
  readonly status: ContentfulStatusCode;
  readonly details: ErrorDetails;
  readonly headers: Record<string, string>;

  constructor(status: ContentfulStatusCode, details: ErrorDetails, headers: Record<string, string> = {}) {
    super(details.message);
    this.status = status;
    this.details = details;
    this.headers = headers;
  }
}

export function invalidRequest(message: string, param: string | null, code: string | null = null): ApiError {
  return new ApiError(400, { message, type: "invalid_request_error", param, code });
}

/** Hono's error handler: an ApiError as it is, anything else as a 500. */
export function errorResponse(error: Error, c: Context<StandInEnv>): Response {
  if (error instanceof ApiError) return c.json({ error: error.details }, error.status, error.headers);
  const message = `The OpenAI stand-in failed: ${error.message}`;
  return c.json({ error: { message, type: "server_error", param: null, code: null } }, 500);
}

/** The body as a JSON object. @throws ApiError 400 for anything else. */
export async function readBody(c: Context<StandInEnv>): Promise<JsonObject> {
  const body: unknown = await c.req.json().catch(() => {
    throw invalidRequest("The body of this request is not valid JSON.", null);
  });
  if (!isObject(body)) throw invalidRequest("The body of this request must be a JSON object.", null);
  return body;
}

/** Checks a body against the official description. @throws ApiError 400 naming the first invalid parameter. */
export function assertOfficial(spec: Spec, path: string, body: JsonObject): void {
  const result = spec.check("POST", path, { body });
  if (result.ok) return;
  const [first = "The request is invalid"] = result.errors;
  const unknown = /has an unknown field '([^']+)'/.exec(first)?.[1];
  if (unknown !== undefined) throw invalidRequest(`Unknown parameter: '${unknown}'.`, unknown, "unknown_parameter");
  const missing = /required property '([^']+)'/.exec(first)?.[1];
  if (missing !== undefined) {
    throw invalidRequest(`Missing required parameter: '${missing}'.`, missing, "missing_required_parameter");
  }
  const param = /^[\w.]+/.exec(first)?.[0] ?? null;
  throw invalidRequest(`Invalid value: ${first}.`, param, "invalid_value");
}

/** @throws ApiError 400 for a parameter that the product does not use. */
export function assertSupported(body: JsonObject, supported: readonly string[]): void {
  const unsupported = Object.keys(body).find((name) => !supported.includes(name));
  if (unsupported === undefined) return;
  throw invalidRequest(`'${unsupported}' is not supported by this stand-in.`, unsupported, "unsupported_parameter");
}

/** An image's `prompt`, or the last user text of `messages`; empty if there is none. */
export function promptOf(body: JsonObject): string {
  return typeof body.prompt === "string" ? body.prompt : lastUserText(body.messages);
}

function lastUserText(messages: unknown): string {
  const list = Array.isArray(messages) ? messages.filter(isObject) : [];
  const last = list.findLast(({ role }) => role === "user");
  return last ? textOf(last.content) : "";
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content.trim();
  const parts = Array.isArray(content) ? content.filter(isObject) : [];
  const texts = parts.map(({ text }) => text).filter((text) => typeof text === "string");
  return texts.join("\n").trim();
}

const DEPRECATED = /^(dall-e-[23]|gpt-image-1|gpt-3\.5.*|gpt-4-turbo.*|text-davinci.*)$/;
const IMAGE_NAME = /^(gpt-image-|chatgpt-image-)/;
const TEXT_NAME = /^(gpt-\d|o\d|chatgpt-)/;
/** Accepts any name like a current model's, so that newer ones can be configured. @throws ApiError 404. */
export function assertModel(id: string, kind: "text" | "image"): void {
  const isImage = IMAGE_NAME.test(id);
  const isKind = kind === "image" ? isImage : TEXT_NAME.test(id) && !isImage;
  if (isKind && !DEPRECATED.test(id)) return;
  const message = `The model '${id}' does not exist here or has been retired.`;
  throw new ApiError(404, { message, type: "invalid_request_error", param: "model", code: "model_not_found" });
}

/** Requires a bearer key: any, or exactly `apiKey` if given. Responds 401 `invalid_api_key` otherwise. */
export function requireKey(apiKey: string | undefined): MiddlewareHandler<StandInEnv> {
  return async (c, next) => {
    const [, key = ""] = /^Bearer\s+(\S+)$/i.exec(c.req.header("authorization") ?? "") ?? [];
    const isRight = key !== "" && (apiKey === undefined || isSameText(key, apiKey));
    if (!isRight) {
      const message = key === "" ? "No API key was provided." : "Incorrect API key provided.";
      const details = { message, type: "invalid_request_error", param: null, code: "invalid_api_key" };
      throw new ApiError(401, details);
    }
    await next();
  };
}

/** The image service's error for a prompt that its safety system rejected. */
export const moderationBlocked: ErrorDetails & { moderation_details: object } = {
  message: "This request was refused by the safety system. safety_violations=[sensitive_subject]",
  type: "image_generation_user_error",
  param: null,
  code: "moderation_blocked",
  moderation_details: { categories: ["sensitive_subject"], moderation_stage: "input" },
};

/** Shows a refusal without any control call: image prompts with these words are always rejected. */
const FORBIDDEN_WORDS = /forbidden\s+subject/i;

/** @throws ApiError 400 `moderation_blocked` for a prompt with the words "forbidden subject". */
export function assertAllowed(prompt: string): void {
  if (FORBIDDEN_WORDS.test(prompt)) throw new ApiError(400, moderationBlocked);
}
