import type { Context, MiddlewareHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { StandInEnv } from "#sandbox/kit/serve.ts";
import type { Spec } from "#sandbox/kit/spec.ts";

/** The error object inside OpenAI's envelope. */
export type ErrorFacts = { message: string; type: string; param: string | null; code: string | null };

/** A refusal in OpenAI's dialect: `{error: {message, type, param, code}}` with a status. */
export class ApiError extends Error {
  readonly status: ContentfulStatusCode;
  readonly facts: ErrorFacts;
  readonly headers: Record<string, string>;

  constructor(status: ContentfulStatusCode, facts: ErrorFacts, headers: Record<string, string> = {}) {
    super(facts.message);
    this.status = status;
    this.facts = facts;
    this.headers = headers;
  }
}

/** A 400 about one parameter. */
export function invalidRequest(message: string, param: string | null, code: string | null = null): ApiError {
  return new ApiError(400, { message, type: "invalid_request_error", param, code });
}

/** The envelope of an error. */
export function errorBody(facts: ErrorFacts): { error: ErrorFacts } {
  return { error: facts };
}

/** Hono's error handler: refusals as they are, anything else a 500 that says so. */
export function answerError(error: Error, c: Context<StandInEnv>): Response {
  if (error instanceof ApiError) return c.json(errorBody(error.facts), error.status, error.headers);
  const message = `The OpenAI stand-in failed: ${error.message}`;
  return c.json(errorBody({ message, type: "server_error", param: null, code: null }), 500);
}

export type JsonObject = Record<string, unknown>;

/** Whether a value is a plain object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The body as a JSON object. @throws ApiError 400 when it is anything else. */
export async function readBody(c: Context<StandInEnv>): Promise<JsonObject> {
  const body: unknown = await c.req.json().catch(() => {
    throw invalidRequest("The body of this request is not valid JSON.", null);
  });
  if (!isJsonObject(body)) throw invalidRequest("The body of this request must be a JSON object.", null);
  return body;
}

/** Checks a body against the official description. @throws ApiError 400 that names the first wrong parameter. */
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
export function assertPlayed(body: JsonObject, played: readonly string[]): void {
  const strange = Object.keys(body).find((name) => !played.includes(name));
  if (strange === undefined) return;
  throw invalidRequest(`'${strange}' is not part of this stand-in.`, strange, "unsupported_parameter");
}

/** The words a call is about: an image's `prompt`, or the last user text of `messages`. Empty without. */
export function promptOf(body: JsonObject): string {
  return typeof body.prompt === "string" ? body.prompt : lastUserText(body.messages);
}

/** The text of the last message with the role `user`; empty when there is none. */
function lastUserText(messages: unknown): string {
  const list = Array.isArray(messages) ? messages.filter(isJsonObject) : [];
  const last = list.findLast(({ role }) => role === "user");
  return last ? textOf(last.content) : "";
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content.trim();
  const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const texts = parts.map(({ text }) => text).filter((text) => typeof text === "string");
  return texts.join("\n").trim();
}

type ModelKind = "text" | "image";

const RETIRED = /^(dall-e-[23]|gpt-image-1|gpt-3\.5.*|gpt-4-turbo.*|text-davinci.*)$/;
const IMAGE_NAME = /^(gpt-image-|chatgpt-image-)/;
const TEXT_NAME = /^(gpt-\d|o\d|chatgpt-)/;
/**
 * Lets through any name that looks like a current model of the kind, so that newer ones can be configured.
 * @throws ApiError 404 `model_not_found` for retired, foreign and misspelt names.
 */
export function assertModel(id: string, kind: ModelKind): void {
  const isImage = IMAGE_NAME.test(id);
  const isKind = kind === "image" ? isImage : TEXT_NAME.test(id) && !isImage;
  if (!isKind || RETIRED.test(id)) throw modelNotFound(id);
}

function modelNotFound(id: string): ApiError {
  const message = `The model '${id}' does not exist here or has been retired.`;
  return new ApiError(404, { message, type: "invalid_request_error", param: "model", code: "model_not_found" });
}

/** Demands a bearer key: any non-empty one, or exactly `apiKey` when given. Answers 401 `invalid_api_key`. */
export function requireKey(apiKey: string | undefined): MiddlewareHandler<StandInEnv> {
  return async (c, next) => {
    const [, key = ""] = /^Bearer\s+(\S+)$/i.exec(c.req.header("authorization") ?? "") ?? [];
    const isRight = key !== "" && (apiKey === undefined || key === apiKey);
    if (!isRight) {
      const message = key === "" ? "No API key was provided." : "Incorrect API key provided.";
      const facts = { message, type: "invalid_request_error", param: null, code: "invalid_api_key" };
      throw new ApiError(401, facts);
    }
    await next();
  };
}

/** What the image service says about a prompt its safety system refused. */
export const moderationBlocked: ErrorFacts & { moderation_details: object } = {
  message: "This request was refused by the safety system. safety_violations=[sensitive_subject]",
  type: "image_generation_user_error",
  param: null,
  code: "moderation_blocked",
  moderation_details: { categories: ["sensitive_subject"], moderation_stage: "input" },
};

/** Lets people see a refusal without any control call: these words in a prompt are always refused for pictures. */
const FORBIDDEN_WORDS = /forbidden\s+subject/i;

/** @throws ApiError 400 `moderation_blocked` for a prompt with the words "forbidden subject". */
export function assertAllowed(prompt: string): void {
  if (FORBIDDEN_WORDS.test(prompt)) throw new ApiError(400, moderationBlocked);
}
