import "server-only";
import type { z } from "zod";
import { composeContext } from "#lib/composition.ts";
import type { Actor, FullCtx } from "#lib/context.ts";
import { AppError, framesOf, messageOf } from "#lib/core/errors.ts";
import { createId } from "#lib/core/ids.ts";
import { createWideEvent, type WideEvent, type WideFields, writeEvent } from "#lib/core/log.ts";
import { env } from "#lib/env.ts";
import { countCall, type LimitName } from "./rate-limit.ts";

/** The event of one request, with its id and start. */
export interface RequestEvent extends WideEvent {
  requestId: string;
  /** Writes the event; once, at the end. */
  finish(outcome: { status: number; error?: AppError | undefined }): void;
}

const causeOf = (error: AppError): WideFields =>
  error.code === "internal" && error.cause !== undefined
    ? { problem: messageOf(error.cause), stack: error.cause instanceof Error ? framesOf(error.cause) : "" }
    : {};

/** Opens the wide event of a request. `path` is the address without ids. */
export const openRequestEvent = (where: { method: string; path: string; route?: string }): RequestEvent => {
  const startedAt = performance.now();
  const requestId = createId("request", new Date());
  const event = createWideEvent({ at: new Date().toISOString(), request_id: requestId, ...where });
  return {
    ...event,
    requestId,
    finish: ({ status, error }) => {
      event.set({ status, outcome: error?.code ?? "ok", ms: Math.round(performance.now() - startedAt) });
      if (error) event.set(causeOf(error));
      writeEvent(event);
    },
  };
};

/** What every door does in the same order: actor → rate limit → parse → run (EXAMPLES §2). */
export interface Passage<S extends z.ZodType, O> {
  /** `visitor`: a login is not even looked at, so neither the CSRF header nor its limits apply (register, login). */
  auth: "user" | "none" | "visitor";
  limit?: LimitName | undefined;
  /** A second count of the same limit table for something named in the input, for instance the account of a login. */
  limitInput?: { name: LimitName; subject: (input: z.output<S>, actor: Actor) => string } | undefined;
  input: S;
  run: (ctx: FullCtx, input: z.output<S>) => Promise<O>;
}

/** A failed parse as the error that people read: the first issue's text, and all of them by field. */
export const toInvalid = (error: z.ZodError): AppError => {
  const fields: Record<string, string[]> = {};
  for (const issue of error.issues) {
    const name = issue.path.map(String).join(".") || "body";
    fields[name] = [...(fields[name] ?? []), issue.message];
  }
  const [first] = error.issues;
  const at = first?.path.map(String).join(".");
  const text = first ? (at && first.code !== "custom" ? `${at}: ${first.message}` : first.message) : undefined;
  const row: unknown = first?.code === "custom" ? first.params?.row : undefined;
  return new AppError("invalid", { fields, ...(text && { text }), ...(row !== undefined && { more: { row } }) });
};

/** PostgreSQL's "character not in repertoire": a text of the input holds a NUL, which no text of ours may. */
const UNSTORABLE = "22021";

const isUnstorable = (thrown: unknown): boolean =>
  thrown instanceof Error && (("code" in thrown && thrown.code === UNSTORABLE) || isUnstorable(thrown.cause));

const runVerb = async <O>(run: () => Promise<O>): Promise<O> => {
  try {
    return await run();
  } catch (thrown) {
    throw isUnstorable(thrown) ? new AppError("invalid", { cause: thrown }) : thrown;
  }
};

/** Whose calls are counted together. */
export const subjectOf = (actor: Actor): string =>
  actor.kind === "user" ? actor.userId : actor.kind === "visitor" ? actor.address : actor.kind;

/**
 * Lets a call through: counts it, parses it, runs it.
 * @throws AppError for everything that stops it.
 */
export const pass = async <S extends z.ZodType, O>(
  passage: Passage<S, O>,
  caller: { actor: Actor; log: WideEvent; raw: (ctx: FullCtx) => Promise<unknown> },
): Promise<{ ctx: FullCtx; output: O }> => {
  const { actor, log } = caller;
  const ctx = composeContext(actor, log);
  log.set({ actor: actor.kind, ...(actor.kind === "user" && { user_id: actor.userId, login_id: actor.loginId }) });
  countCall(passage.limit ?? "default", subjectOf(actor), env().RATE_LIMIT_FACTOR, ctx.now());
  if (passage.auth === "user" && actor.kind !== "user") throw new AppError("unauthenticated");
  const parsed = passage.input.safeParse(await caller.raw(ctx));
  if (!parsed.success) throw toInvalid(parsed.error);
  const more = passage.limitInput;
  if (more) countCall(more.name, more.subject(parsed.data, actor), env().RATE_LIMIT_FACTOR, ctx.now());
  return { ctx, output: await runVerb(() => passage.run(ctx, parsed.data)) };
};

export type PathParams = Record<string, string | string[] | undefined>;

const isSegment = (part: string | undefined, value: string): boolean =>
  part !== undefined && (part === value || part === encodeURIComponent(value));

/** A path with one parameter's value replaced by its name, else null. */
const nameIn = (parts: string[], name: string, values: string[]): string[] | null => {
  const from = parts.findLastIndex((_, at) => values.every((value, n) => isSegment(parts[at + n], value)));
  return from < 0 ? null : [...parts.slice(0, from), `:${name}`, ...parts.slice(from + values.length)];
};

/**
 * The pattern of an address, as in `/api/users/pinterest/boards/:accountId`: one for each route handler, whatever
 * strangers put into the path; `other` where that cannot be told. No slash at its end. Next hands out no params where
 * the address has none.
 */
export const patternOf = (path: string, params: PathParams | undefined): string => {
  let parts: string[] | null = path.replace(/\/+$/, "").split("/");
  for (const [name, value] of Object.entries(params ?? {})) {
    if (value === undefined) continue;
    parts = parts && nameIn(parts, name, [value].flat());
  }
  return parts?.join("/") ?? "other";
};
