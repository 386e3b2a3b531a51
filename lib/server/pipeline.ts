import "server-only";
import type { z } from "zod";
import { composeContext } from "#lib/composition.ts";
import type { Actor, FullCtx } from "#lib/context.ts";
import { AppError, framesOf, messageOf } from "#lib/core/errors.ts";
import { createId } from "#lib/core/ids.ts";
import { createWideEvent, type WideEvent, type WideFields, writeEvent } from "#lib/core/log.ts";
import { env } from "#lib/env.ts";
import { type LimitName, limitCall } from "./rate-limit.ts";

export interface RequestEvent extends WideEvent {
  requestId: string;
  /** Call it once, at the end. */
  finish(outcome: { status: number; error?: AppError | undefined }): void;
}

const causeOf = (error: AppError): WideFields =>
  error.code === "internal" && error.cause !== undefined
    ? { problem: messageOf(error.cause), stack: error.cause instanceof Error ? framesOf(error.cause) : "" }
    : {};

/** `path` must not contain ids. */
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

export interface PipelineOptions<S extends z.ZodType, O> {
  /** `visitor` ignores an existing login, so neither CSRF checks nor the user's limits apply (register, login). */
  auth: "user" | "none" | "visitor";
  limit?: LimitName | undefined;
  /** For something in the input, such as the account of a login; null is not counted. */
  limitInput?: { name: LimitName; subject: (input: z.output<S>, actor: Actor) => string | null } | undefined;
  input: S;
  /** `writeKey`: of routes that take one. */
  run: (ctx: FullCtx, input: z.output<S>, writeKey: string | null) => Promise<O>;
}

const namesOf = (issue: z.core.$ZodIssue): string[] => {
  const at = issue.path.map(String);
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => [...at, key].join("."));
  return [at.join(".") || "body"];
};

export const toInvalid = (error: z.ZodError): AppError => {
  // Clients choose the names, and `constructor` is one of every object's own.
  const byName = new Map<string, string[]>();
  for (const issue of error.issues) {
    for (const name of namesOf(issue)) byName.set(name, [...(byName.get(name) ?? []), issue.message]);
  }
  const fields = Object.fromEntries(byName);
  const [first] = error.issues;
  const at = first?.path.map(String).join(".");
  const text = first ? (at && first.code !== "custom" ? `${at}: ${first.message}` : first.message) : undefined;
  const row: unknown = first?.code === "custom" ? first.params?.row : undefined;
  return new AppError("invalid", { fields, ...(text && { text }), ...(row !== undefined && { more: { row } }) });
};

const UNCOMPARABLE = "Cannot convert object to primitive value";

/**
 * Zod checks the length of anything that has one, and throws when it can't be compared, as in `{"length": {"toString": 1}}`.
 * @throws AppError `invalid` then; other failures are in the result
 */
export const safeParse = <S extends z.ZodType>(schema: S, raw: unknown): z.ZodSafeParseResult<z.output<S>> => {
  try {
    return schema.safeParse(raw);
  } catch (thrown) {
    const isInput = thrown instanceof TypeError && thrown.message === UNCOMPARABLE;
    throw isInput ? new AppError("invalid", { cause: thrown }) : thrown;
  }
};

/** @throws AppError `invalid` with the fields' names */
export const parse = <S extends z.ZodType>(schema: S, raw: unknown): z.output<S> => {
  const parsed = safeParse(schema, raw);
  if (!parsed.success) throw toInvalid(parsed.error);
  return parsed.data;
};

/** "character not in repertoire": the input contains a NUL. */
const UNSTORABLE = "22021";

const isNotStorable = (thrown: unknown): boolean =>
  thrown instanceof Error && (("code" in thrown && thrown.code === UNSTORABLE) || isNotStorable(thrown.cause));

/** Text that PostgreSQL can't store is the client's mistake. */
export const runUseCase = async <O>(run: () => Promise<O>): Promise<O> => {
  try {
    return await run();
  } catch (thrown) {
    throw isNotStorable(thrown) ? new AppError("invalid", { cause: thrown }) : thrown;
  }
};

export const subjectOf = (actor: Actor): string =>
  "userId" in actor ? actor.userId : actor.kind === "visitor" ? actor.address : actor.kind;

/** @throws AppError of the limit, authorization, parse or use case */
export const runPipeline = async <S extends z.ZodType, O>(
  options: PipelineOptions<S, O>,
  caller: { actor: Actor; log: WideEvent; raw: (ctx: FullCtx) => Promise<unknown>; writeKey?: string | null },
): Promise<{ ctx: FullCtx; output: O }> => {
  const { actor, log } = caller;
  const ctx = composeContext(actor, log);
  log.set({ actor: actor.kind, ...(actor.kind === "user" && { user_id: actor.userId, login_id: actor.loginId }) });
  const { RATE_LIMIT_FACTOR: factor } = env();
  await limitCall(ctx, options.limit ?? "default", subjectOf(actor), factor);
  if (options.auth === "user" && actor.kind !== "user") throw new AppError("unauthenticated");
  const input = parse(options.input, await caller.raw(ctx));
  const more = options.limitInput;
  const subject = more?.subject(input, actor) ?? null;
  if (more && subject !== null) await limitCall(ctx, more.name, subject, factor);
  return { ctx, output: await runUseCase(() => options.run(ctx, input, caller.writeKey ?? null)) };
};

export type PathParams = Record<string, string | string[] | undefined>;

const isSegment = (part: string | undefined, value: string): boolean =>
  part !== undefined && (part === value || part === encodeURIComponent(value));

const nameIn = (parts: string[], name: string, values: string[]): string[] | null => {
  const from = parts.findLastIndex((_, at) => values.every((value, n) => isSegment(parts[at + n], value)));
  return from < 0 ? null : [...parts.slice(0, from), `:${name}`, ...parts.slice(from + values.length)];
};

/** `other` if unknown: bounds the number of metric labels. Next passes no params for routes without parameters. */
export const patternOf = (path: string, params: PathParams | undefined): string => {
  let parts: string[] | null = path.replace(/\/+$/, "").split("/");
  // The last ones first, as they are found: several may have the same value.
  for (const [name, value] of Object.entries(params ?? {}).toReversed()) {
    if (value === undefined) continue;
    parts = parts && nameIn(parts, name, [value].flat());
  }
  return parts?.join("/") ?? "other";
};
