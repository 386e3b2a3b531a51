import { ApiError, type Environment, LogLevel, Paddle } from "@paddle/paddle-node-sdk";
import type { z } from "zod";
import { HOUR_MS, SECOND_MS } from "#lib/core/time.ts";
import type { PaymentAnswer, PaymentProblem } from "./port.ts";

const DETAIL_MAX = 300;
const WAIT_MAX_SECONDS = HOUR_MS / SECOND_MS;
const DEFAULT_WAIT_SECONDS = 60;

const TEXTS = {
  missing: "The payment provider does not know this.",
  busy: "The payment provider asks us to wait a little. Please try again in a minute.",
  unavailable: "The payment provider cannot be reached at the moment. Please try again in a few minutes.",
  misconfigured: "Payments are not set up correctly on our side. Please contact support.",
  refused: "The payment provider did not accept this.",
} as const;

/** Of some refusals a person wants to know why. */
const REFUSALS: ReadonlyMap<string, string> = new Map([
  ["subscription_payment_declined", "The payment was declined. Please check the card, or use another one."],
  ["subscription_locked_renewal", "The subscription is about to be renewed. Please try again in an hour."],
  ["subscription_locked_pending_changes", "A change of the subscription is already on its way."],
  ["subscription_locked_processing", "The subscription is being changed right now. Please try again in a minute."],
  [
    "subscription_update_when_past_due",
    "The last renewal could not be charged. Please update the payment method first.",
  ],
  ["subscription_update_when_canceled", "This subscription has ended."],
  ["subscription_is_canceled_action_invalid", "This subscription has ended."],
]);

const NOT_FOUND = /(^|_)not_found$/;
/** Wrong key, or a key that may not do this: the operator's to mend. */
const MISCONFIGURED = /^(authentication_|invalid_token$|forbidden$|unauthorized$)/;
const BUSY = /^too_many_requests$/;
const SERVER_FAULT = /^(internal_error|service_unavailable|bad_gateway|gateway_timeout)$/;

/** Seconds within bounds; without a readable header the provider's limit is over after a minute. */
const waitOf = (retryAfter: number | null): number => {
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
  // Some other machine's idea of an error, on the way to the provider.
  if (typeof code !== "string") return unavailable(detail || "an error without a code");
  const told = { code, detail };
  if (BUSY.test(code)) {
    return { kind: "rate_limited", text: TEXTS.busy, ...told, retryAfterSeconds: waitOf(error.retryAfter) };
  }
  if (type !== "request_error" || SERVER_FAULT.test(code)) {
    return { kind: "unavailable", text: TEXTS.unavailable, ...told };
  }
  if (NOT_FOUND.test(code)) return { kind: "not_found", text: TEXTS.missing, ...told };
  if (MISCONFIGURED.test(code)) return { kind: "refused", text: TEXTS.misconfigured, ...told };
  return { kind: "refused", text: REFUSALS.get(code) ?? TEXTS.refused, ...told };
};

/** Nothing came back, or nothing that can be read: whether a write had an effect is not known. */
export const unavailable = (detail: string): PaymentProblem => ({
  kind: "unavailable",
  text: TEXTS.unavailable,
  detail: detail.slice(0, DETAIL_MAX),
});

/** There is no such thing, and there is no need to ask. */
const notFound = (detail: string): PaymentProblem => ({ kind: "not_found", text: TEXTS.missing, detail });

/**
 * What the SDK threw, in our words (BRIEF §5). It tells refusals by a class of its own; all else it throws comes of an
 * answer it could not read, or of none.
 */
const readProblem = (thrown: unknown): PaymentProblem => {
  if (thrown instanceof ApiError) return fromApiError(thrown);
  if (!(thrown instanceof Error)) return unavailable("no error");
  const cause = thrown.cause instanceof Error ? `: ${thrown.cause.message}` : "";
  return unavailable(`${thrown.name}: ${thrown.message}${cause}`);
};

/** How the provider is reached. */
export interface Connection {
  apiKey: string;
  /** An environment's name, or the address of an API. */
  apiUrl: string;
  /** Instead of 20 s. */
  timeoutMs?: number;
}

/** One call: what the SDK's promise becomes, checked, within the time. Never throws. */
export type Call = <S extends z.ZodType>(ask: (paddle: Paddle) => Promise<unknown>, shape: S) => Answer<S>;
type Answer<S extends z.ZodType> = Promise<PaymentAnswer<z.output<S>>>;

const TIMEOUT_MS = 20 * SECOND_MS;
const TIMED_OUT = Symbol("timed out");

/** Ids as the provider forms them. The SDK puts them into paths as they are. */
const ID = {
  transaction: /^txn_[a-z\d]{26}$/,
  subscription: /^sub_[a-z\d]{26}$/,
  customer: /^ctm_[a-z\d]{26}$/,
  event: /^evt_[a-z\d]{26}$/,
} as const;

/** Answers `not_found` unless each id has its form; then asks. */
export const withIds = async <T>(
  ids: Partial<Record<keyof typeof ID, string>>,
  ask: () => Promise<PaymentAnswer<T>>,
): Promise<PaymentAnswer<T>> => {
  const isForm = (kind: keyof typeof ID): boolean => ids[kind] === undefined || ID[kind].test(ids[kind]);
  const kinds = ["transaction", "subscription", "customer", "event"] as const;
  const wrong = kinds.find((kind) => !isForm(kind));
  return wrong === undefined ? ask() : { kind: "problem", problem: notFound(`not an id of a ${wrong}`) };
};

/** The SDK has no time limit of its own: its request is left to itself when the time is up. */
const within = async (timeoutMs: number, work: Promise<unknown>): Promise<unknown> => {
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

/** Calls through the provider's own SDK, whose `environment` may be the address of an API (STACK, D2). */
export const createCall = ({ apiKey, apiUrl, timeoutMs = TIMEOUT_MS }: Connection): Call => {
  // Any other word than its two is the base of the SDK's addresses; its type knows the two only.
  const environment = apiUrl.replace(/\/+$/, "") as Environment;
  const paddle = new Paddle(apiKey, { environment, logLevel: LogLevel.none });
  return async (ask, shape) => {
    try {
      const answer = await within(timeoutMs, ask(paddle));
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
