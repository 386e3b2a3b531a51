import "server-only";
import { type AppError, ERRORS, type ErrorCode } from "#lib/core/errors.ts";
import { env } from "#lib/env.ts";
import type { Audience } from "#lib/features/api-keys/constants.ts";
import { AUDIENCE_PATHS, RESOURCE_METADATA_PATH } from "#lib/features/oauth/constants.ts";

/** RFC 9457, with our code, the request's id, and what is wrong with single fields. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ErrorCode;
  request_id: string;
  errors?: { field: string; detail: string }[];
}

/** Instead of texts that speak of a page or a sign-in. */
const TITLES: Partial<Record<ErrorCode, string>> = {
  unauthenticated: "Send an API key.",
  wrong_state: "This isn't possible in the current state.",
  invalid: "Something in this request isn't valid.",
};

export const titleOf = (code: ErrorCode): string => TITLES[code] ?? ERRORS[code].text;

const typeOf = (code: ErrorCode): string => `${env().APP_URL}/developers#${code}`;

export const PROBLEM_TYPE = "application/problem+json";

export const toProblem = (error: AppError, requestId: string): Problem => {
  const errors = Object.entries(error.fields ?? {}).flatMap(([field, texts]) =>
    texts.map((detail) => ({ field, detail })),
  );
  return {
    type: typeOf(error.code),
    title: titleOf(error.code),
    status: error.status,
    detail: error.message,
    code: error.code,
    request_id: requestId,
    ...(errors.length > 0 && { errors }),
  };
};

/** What a response about a missing, wrong, or insufficient token says (RFC 6750 §3, RFC 9728 §5.1). */
const challengeOf = ({ code, more }: AppError, audience: Audience): string | null => {
  const where = `resource_metadata="${env().APP_URL}${RESOURCE_METADATA_PATH}${AUDIENCE_PATHS[audience]}"`;
  if (code === "unauthenticated") return `Bearer ${where}`;
  if (code === "invalid_key") return `Bearer error="invalid_token", ${where}`;
  if (code !== "scope_missing") return null;
  return `Bearer error="insufficient_scope", scope="${String(more?.scope ?? "")}", ${where}`;
};

export const toProblemResponse = (error: AppError, requestId: string, audience: Audience): Response => {
  const challenge = challengeOf(error, audience);
  return new Response(JSON.stringify(toProblem(error, requestId)), {
    status: error.status,
    headers: {
      "content-type": PROBLEM_TYPE,
      ...(challenge !== null && { "www-authenticate": challenge }),
      ...(error.retryAfterSeconds && { "retry-after": String(error.retryAfterSeconds) }),
    },
  });
};
