import type { UserId } from "./ids.ts";

interface ErrorSpec {
  status: number;
  /** Whether the same call may succeed later without a change. */
  retry: boolean;
  /** Default text, safe to show. */
  text: string;
}

export const ERRORS = {
  invalid: { status: 400, retry: false, text: "Something in this request isn't valid. Check it and try again." },
  second_step_required: {
    status: 401,
    retry: false,
    text: "Enter the code from your authenticator app to finish signing in.",
  },
  wrong_login: { status: 401, retry: false, text: "Invalid email or password." },
  unauthenticated: { status: 401, retry: false, text: "Please sign in to continue." },
  token_outdated: { status: 401, retry: true, text: "Please sign in to continue." },
  invalid_key: {
    status: 401,
    retry: false,
    text: "This API key or access token isn't valid. Check it, or create a new key in Settings.",
  },
  csrf: { status: 403, retry: false, text: "The request could not be verified. Reload the page and try again." },
  confirm_identity: { status: 403, retry: false, text: "Please confirm that it's you to continue." },
  scope_missing: { status: 403, retry: false, text: "This key or app doesn't have the scope that this call needs." },
  no_credits: { status: 403, retry: false, text: "You don't have enough credits for this." },
  key_limit: { status: 403, retry: false, text: "This key or app has reached its daily limit of credits." },
  plan_limit: { status: 403, retry: false, text: "Your plan doesn't include this." },
  email_unconfirmed: {
    status: 403,
    retry: false,
    text: "Please confirm your email to keep generating pins. Open the link we emailed you, or send the email again.",
  },
  not_found: { status: 404, retry: false, text: "We can't find this. It may have been deleted." },
  method_not_allowed: { status: 405, retry: false, text: "This URL doesn't support that method." },
  wrong_state: {
    status: 409,
    retry: false,
    text: "Something has changed since you loaded this page. Reload it and try again.",
  },
  write_in_progress: {
    status: 409,
    retry: true,
    text: "A request with this idempotency key is still running. Try again in a few seconds.",
  },
  reconnect_needed: { status: 409, retry: false, text: "Please reconnect this Pinterest account." },
  too_large: { status: 413, retry: false, text: "The request is too large." },
  too_many: { status: 429, retry: true, text: "Too many requests. Please wait a moment and try again." },
  key_reused: {
    status: 422,
    retry: false,
    text: "This idempotency key was used for another request. Use a new key for each request.",
  },
  refused: {
    status: 422,
    retry: false,
    text: "A service we rely on rejected this request. Please try again or contact support.",
  },
  busy: {
    status: 503,
    retry: true,
    text: "We're very busy right now. Please try again in a few seconds.",
  },
  internal: { status: 500, retry: true, text: "Something went wrong on our end. Please try again." },
  provider_failed: {
    status: 502,
    retry: true,
    text: "A service we rely on sent an unexpected response. Please try again.",
  },
  provider_unavailable: {
    status: 503,
    retry: true,
    text: "A service we rely on isn't responding. Please try again in a minute.",
  },
} as const satisfies Record<string, ErrorSpec>;

export type ErrorCode = keyof typeof ERRORS;

/** A problem with one row of a submitted list. `number` counts from 1. */
export interface RowFault {
  number: number;
  field: string;
  text: string;
}

interface ErrorDetails {
  /** Replaces the catalog's text; must be safe to show. */
  text?: string;
  fields?: Record<string, string[]>;
  retryAfterSeconds?: number;
  /** Additional keys of the standard error body, in wire format. */
  more?: Record<string, unknown>;
  cause?: unknown;
}

/** An error with a code from the catalog. Other errors become `internal`, and their messages go only to the log. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly fields: Record<string, string[]> | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly more: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    super(details.text ?? ERRORS[code].text, { cause: details.cause });
    this.name = "AppError";
    this.code = code;
    this.fields = details.fields;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.more = details.more;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  get retry(): boolean {
    return ERRORS[this.code].retry;
  }
}

export const toAppError = (thrown: unknown): AppError =>
  thrown instanceof AppError ? thrown : new AppError("internal", { cause: thrown });

/** A Drizzle query error, whose message contains the parameters, such as email addresses and hashes. */
const isFailedQuery = (error: Error): error is Error & { query: string } =>
  "query" in error && "params" in error && typeof error.query === "string";

/** Message of any thrown value for logs, without query parameters and email addresses. */
export const messageOf = (thrown: unknown): string => {
  if (thrown instanceof Error && isFailedQuery(thrown)) {
    return `${thrown.cause === undefined ? "Failed query" : messageOf(thrown.cause)} (${thrown.query})`;
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message.replace(/\nparams:[\s\S]*/, "").replace(/[^\s<>"'(),:;@]+@[^\s<>"'(),:;@]+/g, "(address)");
};

export const framesOf = (error: Error): string =>
  (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n");

/** Default case of a `switch` over a union; an unhandled member does not compile. */
export const unreachable = (value: never): never => {
  throw new AppError("internal", { cause: new Error(`Unexpected value: ${JSON.stringify(value)}`) });
};

interface HasActor {
  actor: { kind: "user" | "key"; userId: UserId } | { kind: "visitor" } | { kind: "webhook" } | { kind: "job" };
}

/** The user who acts, by a login or an API key. @throws AppError `unauthenticated` for other actors. */
export const requireUserId = (ctx: HasActor): UserId => {
  if (ctx.actor.kind !== "user" && ctx.actor.kind !== "key") throw new AppError("unauthenticated");
  return ctx.actor.userId;
};

/** An error's code, for places where the full message could expose addresses and queries. */
export const codeOf = (thrown: unknown): string => {
  const { code, cause } = thrown instanceof Error ? (thrown as Error & { code?: unknown }) : {};
  if (typeof code === "string" && code !== "") return code;
  return cause === undefined ? "unknown" : codeOf(cause);
};
