import type { UserId } from "./ids.ts";

interface ErrorSpec {
  /** HTTP status on the wire (DESIGN §7). */
  status: number;
  /** Whether the same call may succeed later without a change. */
  retry: boolean;
  /** Safe text for a person; a verb may give a better one. */
  text: string;
}

/** The one catalogue of errors: code → status, retry, safe text. Three renderers read it (HTTP, action, job). */
export const ERRORS = {
  invalid: { status: 400, retry: false, text: "The request is not valid." },
  wrong_login: { status: 401, retry: false, text: "Invalid email or password." },
  unauthenticated: { status: 401, retry: false, text: "Authentication required." },
  csrf: { status: 403, retry: false, text: "The request could not be verified. Reload the page and try again." },
  plan_limit: { status: 403, retry: false, text: "Your plan does not allow this." },
  not_found: { status: 404, retry: false, text: "Not found." },
  method_not_allowed: { status: 405, retry: false, text: "This address does not answer that method." },
  wrong_state: { status: 409, retry: false, text: "This is not possible in its present state." },
  reconnect_needed: { status: 409, retry: false, text: "Pinterest asks you to connect this account again." },
  too_large: { status: 413, retry: false, text: "The request is too large." },
  too_many: { status: 429, retry: true, text: "Too many requests. Please wait a moment and try again." },
  refused: { status: 422, retry: false, text: "The provider refused this." },
  internal: { status: 500, retry: true, text: "Something went wrong on our side. Please try again." },
  provider_failed: {
    status: 502,
    retry: true,
    text: "The provider gave an answer we could not use. Please try again.",
  },
  provider_unavailable: { status: 503, retry: true, text: "The provider is not answering. Please try again." },
} as const satisfies Record<string, ErrorSpec>;

export type ErrorCode = keyof typeof ERRORS;

/** What is wrong with one row of a list that was sent. `number` counts from 1. */
export interface RowFault {
  number: number;
  field: string;
  text: string;
}

interface ErrorDetails {
  /** Text for a person instead of the catalogue's; must be safe to show. */
  text?: string;
  /** Field name → messages, for forms. */
  fields?: Record<string, string[]>;
  retryAfterSeconds?: number;
  /** What else the standard body says, in names of the wire. */
  more?: Record<string, unknown>;
  cause?: unknown;
}

/** An error with a code from the catalogue. Whatever else is thrown counts as `internal` and keeps its message to the log. */
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

/** Any thrown value as an AppError; unknown ones become `internal` with the original as cause. */
export const toAppError = (thrown: unknown): AppError =>
  thrown instanceof AppError ? thrown : new AppError("internal", { cause: thrown });

/** A failed query as Drizzle throws it: its message lists the parameters, mail addresses and hashes among them. */
const isFailedQuery = (error: Error): error is Error & { query: string } =>
  "query" in error && "params" in error && typeof error.query === "string";

/** Message of any thrown value, for logs: of a failed query without its parameters, and no mail address in it. */
export const messageOf = (thrown: unknown): string => {
  if (thrown instanceof Error && isFailedQuery(thrown)) {
    return `${thrown.cause === undefined ? "Failed query" : messageOf(thrown.cause)} (${thrown.query})`;
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message.replace(/\nparams:[\s\S]*/, "").replace(/[^\s<>"'(),:;@]+@[^\s<>"'(),:;@]+/g, "(address)");
};

/** Where an error was thrown, without the message that a stack begins with. */
export const framesOf = (error: Error): string =>
  (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n");

/** End of a `switch`: a new member of the union does not compile until it is handled here too. */
export const unreachable = (value: never): never => {
  throw new AppError("internal", { cause: new Error(`Unexpected value: ${JSON.stringify(value)}`) });
};

interface HasActor {
  actor: { kind: "user"; userId: UserId } | { kind: "visitor" } | { kind: "webhook" } | { kind: "job" };
}

/** The user who asks. @throws AppError `unauthenticated` for anybody else. */
export const requireUserId = (ctx: HasActor): UserId => {
  if (ctx.actor.kind !== "user") throw new AppError("unauthenticated");
  return ctx.actor.userId;
};
