import "server-only";
import { cookies, headers } from "next/headers";
import type { z } from "zod";
import type { FullCtx } from "#lib/context.ts";
import { type AppError, type ErrorCode, toAppError } from "#lib/core/errors.ts";
import { type Caller, identify } from "./actor.ts";
import { pass } from "./door.ts";
import type { LimitName } from "./rate-limit.ts";
import { openRequestEvent } from "./wide-event.ts";

/** What a server action answers: the verb's value, or an error that is safe to show. */
export type ActionResult<T> =
  | { ok: true; value: T }
  | { ok: false; code: ErrorCode; text: string; fields?: Record<string, string[]> };

// Next itself refuses an action whose Origin is not its Host, so the caller counts as a safe method here.
const actionCaller = async (): Promise<Caller> => {
  const [all, jar] = await Promise.all([headers(), cookies()]);
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
    input: S,
    run: (ctx: FullCtx, input: z.output<S>) => Promise<O>,
    options: { auth?: "user" | "none"; limit?: LimitName } = {},
  ) =>
  async (raw: z.input<S>): Promise<ActionResult<O>> => {
    const event = openRequestEvent({ method: "ACTION", path: run.name });
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
