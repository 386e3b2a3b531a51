import "server-only";
import { cookies, headers } from "next/headers";
import type { z } from "zod";
import type { FullCtx } from "#lib/context.ts";
import { AppError, type ErrorCode, toAppError } from "#lib/core/errors.ts";
import { type Caller, identify, isAllowedOrigin } from "./actor.ts";
import { openRequestEvent, pass } from "./pipeline.ts";
import type { LimitName } from "./rate-limit.ts";

/** What a server action answers: the verb's value, or an error that is safe to show. */
export type ActionResult<T> =
  | { ok: true; value: T }
  | { ok: false; code: ErrorCode; text: string; fields?: Record<string, string[]> };

/**
 * The caller of an action. Next refuses an Origin that is not its Host but lets a missing one pass; here it must be
 * one of ours, which takes the place of the CSRF header, so the caller counts as a safe method.
 */
export const actionCaller = async (): Promise<Caller> => {
  const [all, jar] = await Promise.all([headers(), cookies()]);
  if (!isAllowedOrigin(all.get("origin"))) throw new AppError("csrf");
  return {
    method: "GET",
    header: (name) => (name === "authorization" ? null : all.get(name)),
    cookie: (name) => jar.get(name)?.value ?? null,
  };
};

const toFailure = (error: AppError): ActionResult<never> => ({
  ok: false,
  code: error.code,
  text: error.message,
  ...(error.fields && { fields: error.fields }),
});

/** A verb as a server action, behind the same pipeline as `route()`: actor → rate limit → parse → run → error → event. */
export const action =
  <S extends z.ZodType, O>(
    /** For the log: functions lose their names when they are built. */
    name: string,
    input: S,
    run: (ctx: FullCtx, input: z.output<S>) => Promise<O>,
    options: { auth?: "user" | "none"; limit?: LimitName } = {},
  ) =>
  async (raw: z.input<S>): Promise<ActionResult<O>> => {
    const event = openRequestEvent({ method: "ACTION", path: name });
    let error: AppError | undefined;
    try {
      const actor = await identify(await actionCaller());
      const passage = { auth: options.auth ?? ("user" as const), limit: options.limit, input, run };
      const { output } = await pass(passage, { actor, log: event, raw: async () => raw });
      return { ok: true, value: output };
    } catch (thrown) {
      error = toAppError(thrown);
      return toFailure(error);
    } finally {
      event.finish({ status: error?.status ?? 200, error });
    }
  };
