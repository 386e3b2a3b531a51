import { randomUUID } from "node:crypto";
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { originOf, type StandInEnv } from "../kit/serve.ts";
import { pathParts } from "../kit/spec.ts";
import { isSameText } from "../kit/values.ts";
import type { Paddle } from "./state.ts";

/** Every error: its status and its message. */
const ERRORS = {
  authentication_missing: [403, "Authentication header missing."],
  forbidden: [403, "You aren't permitted to perform this request."],
  invalid_token: [403, "Authentication token is invalid."],
  bad_request: [400, "The body is not valid JSON."],
  invalid_field: [400, "Request does not pass validation."],
  entity_not_found: [404, "Unable to find the entity."],
  too_many_requests: [429, "Too many requests."],
  internal_error: [500, "Internal error."],
  not_part_of_stand_in: [501, "This is not supported by this stand-in."],
  bad_gateway: [502, "Bad gateway."],
  service_unavailable: [503, "Service unavailable."],
  transaction_item_price_archived: [400, "the price is archived"],
  transaction_item_quantity_out_of_range: [400, "the price does not allow this quantity"],
  transaction_immutable: [400, "the transaction can no longer be changed"],
  transaction_not_ready: [400, "the transaction has no customer and address yet"],
  transaction_invoice_not_available: [400, "the transaction has no invoice yet"],
  subscription_is_canceled_action_invalid: [400, "action can't be performed on canceled subscription"],
  subscription_is_inactive_action_invalid: [400, "action can't be performed on inactive subscription"],
  subscription_is_not_paused: [400, "subscription is not paused"],
  subscription_update_when_canceled: [400, "cannot update subscription, as subscription is canceled"],
  subscription_update_when_past_due: [400, "cannot update subscription, as subscription is past due"],
  subscription_locked_pending_changes: [400, "cannot update subscription, pending scheduled changes"],
  subscription_locked_renewal: [409, "unable to update subscription 30m0s before renewal"],
  subscription_payment_declined: [400, "payment declined"],
  subscription_items_update_missing_proration_billing_mode: [
    400,
    "proration_billing_mode is required when items are changed",
  ],
  adjustment_transaction_invalid_status: [400, "only a completed transaction can be adjusted"],
  adjustment_pending_refund_request: [400, "the transaction has a pending refund request"],
  adjustment_amount_above_remaining_allowed: [400, "nothing is left of the transaction"],
  adjustment_not_pending: [400, "the adjustment is not pending"],
  adjustment_not_reversible: [400, "only an effective chargeback can be reversed"],
} as const satisfies Record<string, readonly [ContentfulStatusCode, string]>;

type ErrorCode = keyof typeof ERRORS;
type FieldError = { field: string; message: string };

export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: ContentfulStatusCode;
  readonly fields: FieldError[] | undefined;

  constructor(code: ErrorCode, detail: string = ERRORS[code][1], fields?: FieldError[]) {
    super(detail);
    this.code = code;
    this.status = ERRORS[code][0];
    this.fields = fields;
  }
}

export function entityNotFound(kind: string, id: string): ApiError {
  return new ApiError("entity_not_found", `Unable to find ${kind} with id ${id}.`);
}

/** An error in one field that the description does not cover. */
export function invalidField(field: string, message: string): ApiError {
  return new ApiError("invalid_field", undefined, [{ field, message }]);
}

/** A feature that Paddle has and the stand-in does not: `PATCH /prices/pri_1 with trial_period`. */
export function notSupported(what: string): ApiError {
  return new ApiError("not_part_of_stand_in", `${what} is not supported by this stand-in.`);
}

export function toErrorReply(error: ApiError, requestId: string = randomUUID()) {
  const { code, message, status, fields } = error;
  const type = status >= 500 ? "api_error" : "request_error";
  const section = /^(?:transaction|subscription|adjustment)(?=_)/.exec(code)?.[0];
  const documentation_url = `https://developer.paddle.com/errors/${section === undefined ? "shared" : `${section}s`}/${code}`;
  const errors = fields === undefined ? {} : { errors: fields };
  return {
    status,
    body: { error: { type, code, detail: message, documentation_url, ...errors }, meta: { request_id: requestId } },
  };
}

/** Hono's error handler: an ApiError as Paddle sends it, anything else a 500. */
export function errorResponse(error: Error, c: Context<StandInEnv>): Response {
  if (!(error instanceof ApiError)) console.error("Paddle stand-in:", error);
  const refused = error instanceof ApiError ? error : new ApiError("internal_error");
  const { status, body } = toErrorReply(refused);
  return c.json(body, status);
}

/** The entity with an id. @throws ApiError 404. */
export function findOrThrow<T>(entities: ReadonlyMap<string, T>, kind: string, id = ""): T {
  const entity = entities.get(id);
  if (entity === undefined) throw entityNotFound(kind, id);
  return entity;
}

/**
 * Checks key, path, query and body against the description, and returns the body. `supported` names known fields.
 * @throws ApiError 403 without a key, 400 with all validation errors, 501 for an unsupported field.
 */
export async function readRequest<B = undefined>(
  paddle: Paddle,
  c: Context<StandInEnv>,
  path: string,
  supported: readonly string[] = [],
): Promise<B> {
  assertKey(paddle, c.req.header("authorization"));
  const query = c.req.query();
  const body = c.req.method === "GET" ? undefined : await readJson(c);
  assertValid(paddle, c.req.method, path, { path: pathParts(path, c.req.path), query, body });
  const unsupported = [...Object.keys(query), ...Object.keys(Object(body))].find((field) => !supported.includes(field));
  if (unsupported !== undefined) throw notSupported(`${c.req.method} ${c.req.path} with ${unsupported}`);
  // Just checked against the description.
  return body as B;
}

/** @throws ApiError 400 with all validation errors. */
export function assertValid(
  { spec }: Paddle,
  method: string,
  path: string,
  request: { path: Record<string, string>; query: Record<string, string>; body: unknown },
): void {
  const result = spec.check(method, path, request);
  if (result.ok) return;
  const fields = result.errors.map((text) => ({ field: fieldOf(text), message: text }));
  throw new ApiError("invalid_field", undefined, fields);
}

/** The JSON body of a request; an empty object without one. @throws ApiError if it is not JSON */
export async function readJson(c: Context<StandInEnv>): Promise<unknown> {
  const text = await c.req.text();
  try {
    return JSON.parse(text === "" ? "{}" : text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new ApiError("bad_request");
    throw error;
  }
}

export function respond(c: Context<StandInEnv>, data: unknown, status: 200 | 201 = 200): Response {
  return c.json({ data, meta: { request_id: randomUUID() } }, status);
}

const PAGE = { default: 50, max: 200 };

/** Responds with one page of a list, after the entity that `after` names. @throws ApiError for an unknown `after`. */
export function respondPage<T>(c: Context<StandInEnv>, list: readonly T[], idOf: (entity: T) => string): Response {
  const query = c.req.query();
  const per_page = Math.min(Number(query.per_page ?? PAGE.default), PAGE.max);
  const start = query.after === undefined ? 0 : list.findIndex((item) => idOf(item) === query.after) + 1;
  if (query.after !== undefined && start === 0) throw invalidField("after", "is not the id of a listed entity");
  const data = list.slice(start, start + per_page);
  const last = data.at(-1);
  const after = last === undefined ? (query.after ?? "") : idOf(last);
  const next = `${originOf(c)}${c.req.path}?${new URLSearchParams({ ...query, after })}`;
  const has_more = start + per_page < list.length;
  const pagination = { per_page, next, has_more, estimated_total: list.length };
  return c.json({ data, meta: { request_id: randomUUID(), pagination } });
}

function assertKey({ apiKey }: Paddle, header: string | undefined): void {
  if (header === undefined) throw new ApiError("authentication_missing");
  if (!isSameText(/^bearer (\S+)$/i.exec(header)?.[1] ?? "", apiKey)) throw new ApiError("invalid_token");
}

/** The field that an error is about; an unknown or missing field is named itself. */
function fieldOf(text: string): string {
  const unknown = /^(\S+) has an unknown field '([^']+)'/.exec(text);
  if (unknown !== null) return unknown[1] === "body" ? (unknown[2] ?? "") : `${unknown[1]}.${unknown[2]}`;
  const missing = /required property '([^']+)'/.exec(text);
  if (missing !== null && text.startsWith("body")) return missing[1] ?? "";
  return text.split(/[: ]/, 1)[0] ?? "";
}
