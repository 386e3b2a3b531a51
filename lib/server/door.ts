import "server-only";
import type { z } from "zod";
import { composeContext } from "#lib/composition.ts";
import type { Actor, FullCtx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { WideEvent } from "#lib/core/log.ts";
import { env } from "#lib/env.ts";
import { countCall, type LimitName } from "./rate-limit.ts";

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
  return new AppError("invalid", { fields, ...(text && { text }) });
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
