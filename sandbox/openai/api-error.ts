import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { StandInEnv } from "#sandbox/kit/serve.ts";

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

/** Hono's error door: refusals as they are, anything else a 500 that says so. */
export function answerError(error: Error, c: Context<StandInEnv>): Response {
  if (error instanceof ApiError) return c.json(errorBody(error.facts), error.status, error.headers);
  const message = `The OpenAI stand-in failed: ${error.message}`;
  return c.json(errorBody({ message, type: "server_error", param: null, code: null }), 500);
}
