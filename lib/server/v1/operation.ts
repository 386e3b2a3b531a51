import "server-only";
import type { z } from "zod";
import type { FullCtx } from "#lib/context.ts";
import type { ErrorCode } from "#lib/core/errors.ts";
import type { Scope } from "#lib/features/api-keys/constants.ts";
import type { LimitName } from "../rate-limit.ts";
import type { Received } from "../route.ts";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

export const TAGS = {
  Accounts: "Connected Pinterest accounts, their boards, and sections.",
  Pins: "Drafts, and scheduled, published, and failed pins.",
  Generations: "Drafts made from keywords and pages, which cost credits.",
  Analytics: "How your published pins performed.",
  Keywords: "Search trends, related keywords, and saved lists.",
  Credits: "The balance and its history.",
  Videos: "Saved TikTok videos.",
  Webhooks: "URLs that get signed events, and what was sent to them.",
} as const;
type Tag = keyof typeof TAGS;

type Fields = z.ZodObject | undefined;
type Read<F extends Fields> = F extends z.ZodType ? z.output<F> : Record<never, never>;

export interface Input<P extends Fields, Q extends Fields, B extends z.ZodType | undefined> {
  params: Read<P>;
  query: Read<Q>;
  body: B extends z.ZodType ? z.output<B> : undefined;
  /** Names the write, so that the use case does its work once. */
  writeKey: string | null;
  /** Whether an earlier run with this key may have done the work, and what was done may have changed since. */
  isAgain: boolean;
}

interface Description {
  /** Names it in the specification and in generated clients. */
  id: string;
  method: Method;
  /** Below `/api/v1`, with `{names}` of `params`. */
  path: string;
  tag: Tag;
  summary: string;
  description?: string;
  scope: Scope;
  limit?: LimitName;
  bodyBytesMax?: number;
  status?: 200 | 201 | 202 | 204;
  /** Of the success body; left out for 204. */
  response?: z.ZodType;
  /** Besides those that every call can have. */
  errors?: readonly ErrorCode[];
  /** Reads a file instead of JSON; repeated requests are harmless by themselves. */
  receive?: (request: Request, ctx: FullCtx) => Promise<Received>;
}

interface Definition<P extends Fields, Q extends Fields, B extends z.ZodType | undefined> extends Description {
  params?: P;
  query?: Q;
  body?: B;
  run: (ctx: FullCtx, input: Input<P, Q, B>) => Promise<unknown>;
}

/** One call of the public API: the router, the specification, and the tests read it. */
export interface Operation extends Description {
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodType;
  run: (ctx: FullCtx, input: Input<z.ZodObject, z.ZodObject, z.ZodType>) => Promise<unknown>;
}

/** Checks the types of one definition, then erases them so that all operations fit in one list. */
export const operation = <
  P extends Fields = undefined,
  Q extends Fields = undefined,
  B extends z.ZodType | undefined = undefined,
>(
  definition: Definition<P, Q, B>,
): Operation => definition as unknown as Operation;

/** Whether repeated requests with one `Idempotency-Key` get the first answer. */
export const takesWriteKey = ({ method, receive }: Operation): boolean => method !== "GET" && !receive;
