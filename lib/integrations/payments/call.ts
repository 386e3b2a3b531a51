import { type Environment, LogLevel, Paddle } from "@paddle/paddle-node-sdk";
import type { z } from "zod";
import { SECOND_MS } from "#lib/core/time.ts";
import type { PaymentAnswer } from "./port.ts";
import { notFound, readProblem, unavailable } from "./problems.ts";

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
