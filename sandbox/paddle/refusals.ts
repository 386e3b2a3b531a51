import type { ContentfulStatusCode } from "hono/utils/http-status";

/** A refusal in Paddle's words. `group` is the part of the documentation that explains it. */
export interface Refusal {
  status: ContentfulStatusCode;
  code: string;
  detail: string;
  group: string;
  errors?: { field: string; message: string }[];
}

/** A call that is refused. */
export class RefusedError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.detail);
    this.refusal = refusal;
  }
}

const shared = (status: ContentfulStatusCode, code: string, detail: string): Refusal => ({
  status,
  code,
  detail,
  group: "shared",
});
const subscription = (code: string, detail: string, status: ContentfulStatusCode = 400): Refusal => ({
  status,
  code,
  detail,
  group: "subscriptions",
});

/** The refusals that depend on nothing. */
export const REFUSALS = {
  authenticationMissing: shared(403, "authentication_missing", "Authentication header missing."),
  authenticationMalformed: shared(
    403,
    "authentication_malformed",
    "Authentication header included, but incorrectly formatted.",
  ),
  forbidden: shared(403, "forbidden", "You aren't permitted to perform this request."),
  invalidToken: shared(403, "invalid_token", "Authentication token is invalid."),
  notJson: shared(400, "bad_request", "The body is not valid JSON."),
  tooManyRequests: shared(429, "too_many_requests", "Too many requests."),
  internalError: shared(500, "internal_error", "Internal error."),
  serviceUnavailable: shared(503, "service_unavailable", "Service unavailable."),
  badGateway: shared(502, "bad_gateway", "Bad gateway."),
  subscriptionCanceled: subscription(
    "subscription_is_canceled_action_invalid",
    "action can't be performed on canceled subscription",
  ),
  subscriptionInactive: subscription(
    "subscription_is_inactive_action_invalid",
    "action can't be performed on inactive subscription",
  ),
  updateWhenCanceled: subscription(
    "subscription_update_when_canceled",
    "cannot update subscription, as subscription is canceled",
  ),
  updateWhenPastDue: subscription(
    "subscription_update_when_past_due",
    "cannot update subscription, as subscription is past due",
  ),
  pendingChanges: subscription(
    "subscription_locked_pending_changes",
    "cannot update subscription, pending scheduled changes",
  ),
  lockedRenewal: subscription("subscription_locked_renewal", "unable to update subscription 30m0s before renewal", 409),
  paymentDeclined: subscription("subscription_payment_declined", "payment declined"),
  prorationMissing: subscription(
    "subscription_items_update_missing_proration_billing_mode",
    "proration_billing_mode is required when items are changed",
  ),
  notPaused: subscription("subscription_is_not_paused", "subscription is not paused"),
} as const satisfies Record<string, Refusal>;

/** There is no such entity. */
export function entityNotFound(kind: string, id: string): RefusedError {
  return new RefusedError(shared(404, "entity_not_found", `Unable to find ${kind} with id ${id}.`));
}

/** The request does not fit the description; each error names its place first, as the spec check gives it. */
export function invalidFields(errors: string[]): RefusedError {
  return new RefusedError({
    ...shared(400, "invalid_field", "Request does not pass validation."),
    errors: errors.map((text) => ({ field: fieldOf(text), message: text })),
  });
}

/** One field is wrong for a reason that the description does not know. */
export function invalidField(field: string, message: string): RefusedError {
  return new RefusedError({
    ...shared(400, "invalid_field", "Request does not pass validation."),
    errors: [{ field, message }],
  });
}

/** The request clashes with what there is. */
export function conflict(code: string, detail: string, group: string): RefusedError {
  return new RefusedError({ status: 409, code, detail, group });
}

/** Any other refusal of one kind of entity. */
export function refused(code: string, detail: string, group: string): RefusedError {
  return new RefusedError({ status: 400, code, detail, group });
}

/** The body of an error answer. */
export function errorBody({ status, code, detail, group, errors }: Refusal, requestId: string): object {
  return {
    error: {
      type: status >= 500 ? "api_error" : "request_error",
      code,
      detail,
      documentation_url: `https://developer.paddle.com/errors/${group}/${code}`,
      ...(errors === undefined ? {} : { errors }),
    },
    meta: { request_id: requestId },
  };
}

/** `items.0.price_id: …` is about `items.0.price_id`; an unknown field is named itself. */
function fieldOf(text: string): string {
  const unknown = /^(\S+) has an unknown field '([^']+)'/.exec(text);
  if (unknown !== null) return unknown[1] === "body" ? (unknown[2] ?? "") : `${unknown[1]}.${unknown[2]}`;
  const missing = /required property '([^']+)'/.exec(text);
  if (missing !== null && text.startsWith("body")) return missing[1] ?? "";
  return text.split(/[: ]/, 1)[0] ?? "";
}
