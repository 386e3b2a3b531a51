import { invalidRequest, RefusedError } from "./refusals.ts";

/**
 * Reads a JSON body.
 * @throws RefusedError 400 for what is no JSON.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) throw new RefusedError(invalidRequest("body is not JSON"));
    throw cause;
  }
}

/** The fields of a JSON object; what is none simply has no fields: the call itself will refuse it. */
export function parseObject(text: string): Record<string, unknown> {
  try {
    return objectOf(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** The fields of a value; what is no object has none. */
export function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
