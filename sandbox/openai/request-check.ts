import type { Context } from "hono";
import type { StandInEnv } from "#sandbox/kit/serve.ts";
import type { Spec } from "#sandbox/kit/spec.ts";
import { invalidRequest } from "./api-error.ts";

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
