import { ApiError, type Environment, LogLevel, Paddle } from "@paddle/paddle-node-sdk";
import type { z } from "zod";
import { HOUR_MS, SECOND_MS } from "#lib/core/time.ts";
import type { PaymentProblem, PaymentResult } from "./port.ts";

const DETAIL_MAX = 300;
const WAIT_MAX_SECONDS = HOUR_MS / SECOND_MS;
const DEFAULT_WAIT_SECONDS = 60;

const TEXTS = {
  missing: "We couldn't find this payment or plan. Please contact support.",
  busy: "The payment provider is busy. Please try again in a minute.",
  unavailable: "We can't reach the payment provider right now. Please try again in a few minutes.",
  misconfigured: "Payments aren't set up correctly on our end. Please contact support.",
  refused: "Your payment couldn't be processed. Please try again or contact support.",
} as const;

/** Refusals that the user should understand. */
const REFUSALS: ReadonlyMap<string, string> = new Map([
  ["subscription_payment_declined", "Your payment was declined. Check your card or use another one."],
  ["subscription_locked_renewal", "Your subscription is about to renew. Please try again in an hour."],
  [
    "subscription_locked_pending_changes",
    "A plan change is already scheduled. Wait until it takes effect, or contact support.",
  ],
  ["subscription_locked_processing", "Your subscription is being changed right now. Please try again in a minute."],
  ["subscription_update_when_past_due", "Your last renewal payment failed. Update your payment method first."],
  ["subscription_update_when_canceled", "Your subscription has ended. Choose a new plan on the pricing page."],
  ["subscription_is_canceled_action_invalid", "Your subscription has ended. Choose a new plan on the pricing page."],
]);

const NOT_FOUND = /(^|_)not_found$/;
/** A wrong key, or a key without permission: the operator has to fix it. */
const MISCONFIGURED = /^(authentication_|invalid_token$|forbidden$|unauthorized$)/;
const BUSY = /^too_many_requests$/;
const SERVER_FAULT = /^(internal_error|service_unavailable|bad_gateway|gateway_timeout)$/;

/** Seconds to wait, within bounds. Without a readable header, the provider's limit is over after a minute. */
const retryDelayOf = (retryAfter: number | null): number => {
  if (retryAfter === null || !Number.isFinite(retryAfter)) return DEFAULT_WAIT_SECONDS;
  return Math.min(WAIT_MAX_SECONDS, Math.max(1, Math.ceil(retryAfter)));
};

const detailOf = (error: ApiError): string => {
  const fields = (error.errors ?? []).map(({ field, message }) => `${field}: ${message}`);
  return [error.code, error.detail, ...fields].filter(Boolean).join("; ").slice(0, DETAIL_MAX);
};

const fromApiError = (error: ApiError): PaymentProblem => {
  const { code, type } = error;
  const detail = detailOf(error);
  // An error of a machine between us and the provider.
  if (typeof code !== "string") return unavailable(detail || "an error without a code");
  const details = { code, detail };
  if (BUSY.test(code)) {
    return { kind: "rate_limited", text: TEXTS.busy, ...details, retryAfterSeconds: retryDelayOf(error.retryAfter) };
  }
  if (type !== "request_error" || SERVER_FAULT.test(code)) {
    return { kind: "unavailable", text: TEXTS.unavailable, ...details };
  }
  if (NOT_FOUND.test(code)) return { kind: "not_found", text: TEXTS.missing, ...details };
  if (MISCONFIGURED.test(code)) return { kind: "refused", text: TEXTS.misconfigured, ...details };
  return { kind: "refused", text: REFUSALS.get(code) ?? TEXTS.refused, ...details };
};

/** No readable answer arrived, so the outcome of a write is unknown. */
export const unavailable = (detail: string): PaymentProblem => ({
  kind: "unavailable",
  text: TEXTS.unavailable,
  detail: detail.slice(0, DETAIL_MAX),
});

const notFound = (detail: string): PaymentProblem => ({ kind: "not_found", text: TEXTS.missing, detail });

/** Converts what the SDK threw. It has a class for refusals; anything else means no answer or an unreadable one. */
const readProblem = (thrown: unknown): PaymentProblem => {
  if (thrown instanceof ApiError) return fromApiError(thrown);
  if (!(thrown instanceof Error)) return unavailable("no error");
  const cause = thrown.cause instanceof Error ? `: ${thrown.cause.message}` : "";
  return unavailable(`${thrown.name}: ${thrown.message}${cause}`);
};

export interface Connection {
  apiKey: string;
  apiUrl: string;
  timeoutMs?: number;
}

/** Runs one SDK call and validates its result within the time limit. Never throws. */
export type Call = <S extends z.ZodType>(request: (paddle: Paddle) => Promise<unknown>, shape: S) => CallResult<S>;
type CallResult<S extends z.ZodType> = Promise<PaymentResult<z.output<S>>>;

const TIMEOUT_MS = 20 * SECOND_MS;
const TIMED_OUT = Symbol("timed out");

/** The format of the provider's ids. The SDK puts ids into URL paths without escaping them. */
const ID = {
  transaction: /^txn_[a-z\d]{26}$/,
  subscription: /^sub_[a-z\d]{26}$/,
  customer: /^ctm_[a-z\d]{26}$/,
  event: /^evt_[a-z\d]{26}$/,
} as const;

/** Returns `not_found` without a call when an id has the wrong format. */
export const withValidIds = async <T>(
  ids: Partial<Record<keyof typeof ID, string>>,
  request: () => Promise<PaymentResult<T>>,
): Promise<PaymentResult<T>> => {
  const isForm = (kind: keyof typeof ID): boolean => ids[kind] === undefined || ID[kind].test(ids[kind]);
  const kinds = ["transaction", "subscription", "customer", "event"] as const;
  const wrong = kinds.find((kind) => !isForm(kind));
  return wrong === undefined ? request() : { kind: "problem", problem: notFound(`not an id of a ${wrong}`) };
};

/** The SDK has no time limit, so its request is abandoned when the time is up. */
const withTimeout = async (timeoutMs: number, work: Promise<unknown>): Promise<unknown> => {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise((resolve) => {
    timer = setTimeout(resolve, timeoutMs, TIMED_OUT);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
};

/** Calls the provider through its SDK, whose `environment` may be the URL of an API. */
export const createCall = ({ apiKey, apiUrl, timeoutMs = TIMEOUT_MS }: Connection): Call => {
  // The SDK uses any other value as its base URL, but its type allows only the two names.
  const environment = apiUrl.replace(/\/+$/, "") as Environment;
  const paddle = new Paddle(apiKey, { environment, logLevel: LogLevel.none });
  return async (request, shape) => {
    try {
      const answer = await withTimeout(timeoutMs, request(paddle));
      if (answer === TIMED_OUT) return { kind: "problem", problem: unavailable(`no answer in ${timeoutMs} ms`) };
      const read = shape.safeParse(answer);
      if (read.success) return { kind: "ok", value: read.data };
      const [issue] = read.error.issues;
      return { kind: "problem", problem: unavailable(`unreadable answer: ${issue?.path.join(".")} ${issue?.message}`) };
    } catch (error) {
      return { kind: "problem", problem: readProblem(error) };
    }
  };
};
