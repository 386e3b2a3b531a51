import type { MiddlewareHandler } from "hono";
import type { StandInEnv } from "#sandbox/kit/serve.ts";
import { ApiError } from "./api-error.ts";

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
