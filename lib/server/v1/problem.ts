import "server-only";
import { type AppError, ERRORS, type ErrorCode } from "#lib/core/errors.ts";
import { env } from "#lib/env.ts";

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
  wrong_state: "The pin, generation, or list is in a state that doesn't allow this.",
  invalid: "Something in this request isn't valid.",
};

export const titleOf = (code: ErrorCode): string => TITLES[code] ?? ERRORS[code].text;

/** Where the reference describes an error. */
const typeOf = (code: ErrorCode): string => `${env().APP_URL}/developers#${code}`;

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

export const toProblemResponse = (error: AppError, requestId: string): Response =>
  new Response(JSON.stringify(toProblem(error, requestId)), {
    status: error.status,
    headers: {
      "content-type": "application/problem+json",
      ...(error.status === 401 && { "www-authenticate": "Bearer" }),
      ...(error.retryAfterSeconds && { "retry-after": String(error.retryAfterSeconds) }),
    },
  });
