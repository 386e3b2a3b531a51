import "server-only";
import { cookies, headers } from "next/headers";
import type { z } from "zod";
import type { FullCtx } from "#lib/context.ts";
import { AppError, type ErrorCode, toAppError } from "#lib/core/errors.ts";
import type { KeptLogin } from "#lib/features/identity/queries.ts";
import { noteActionStart } from "./action-start.ts";
import { type Caller, identify, setGoogleCookie, setLoginCookies } from "./actor.ts";
import { isAllowedOrigin } from "./origins.ts";
import { openRequestEvent, runPipeline } from "./pipeline.ts";
import type { LimitName } from "./rate-limit.ts";

export type ActionResult<T> =
  | { ok: true; value: T }
  | { ok: false; code: ErrorCode; text: string; fields?: Record<string, string[]> };

/** Next accepts a missing Origin; requiring an allowed one replaces the CSRF header, so the method counts as safe. */
export const actionCaller = async (): Promise<Caller> => {
  const [all, jar] = await Promise.all([headers(), cookies()]);
  if (!isAllowedOrigin(all.get("origin"))) throw new AppError("csrf");
  return {
    method: "GET",
    header: (name) => (name === "authorization" ? null : all.get(name)),
    cookie: (name) => jar.get(name)?.value ?? null,
  };
};

/** For a use case that ends the tokens of its own login: the browser gets new cookies and a new access token. */
export const withNewTokens =
  <I, O extends KeptLogin>(run: (ctx: FullCtx, input: I) => Promise<O>) =>
  async (ctx: FullCtx, input: I): Promise<Omit<O, keyof KeptLogin> & { accessToken: string }> => {
    const { userId, loginId, tokens, knownBrowser, ...rest } = await run(ctx, input);
    return { ...rest, accessToken: await setLoginCookies({ userId, loginId, tokens, knownBrowser }) };
  };

/** For a use case that sends the browser to Google, which may answer only to this browser. */
export const withGoogleCookie =
  (run: (ctx: FullCtx) => Promise<{ url: string; browserToken: string }>) =>
  async (ctx: FullCtx): Promise<{ url: string }> => {
    const { url, browserToken } = await run(ctx);
    await setGoogleCookie(browserToken);
    return { url };
  };

/** Callers can send a promise, which may never succeed, and references that throw when they are read. */
const plainData = async (raw: unknown): Promise<unknown> => {
  try {
    return structuredClone(await raw);
  } catch (error) {
    throw new AppError("invalid", { cause: error });
  }
};

/**
 * Only Next's client calls these actions. For a posted form, Next would read the state of a form from its arguments
 * after the action ran, and fail. Thrown before the start, so the response is a 400.
 */
const refuseForms = async (): Promise<void> => {
  if (!(await headers()).has("next-action")) throw new AppError("invalid");
};

const toFailure = (error: AppError): ActionResult<never> => ({
  ok: false,
  code: error.code,
  text: error.message,
  ...(error.fields && { fields: error.fields }),
});

export const action =
  <S extends z.ZodType, O>(
    /** For the log, since builds strip function names. */
    name: string,
    input: S,
    run: (ctx: FullCtx, input: z.output<S>) => Promise<O>,
    options: { auth?: "user" | "none"; limit?: LimitName } = {},
  ) =>
  async (raw: z.input<S>): Promise<ActionResult<O>> => {
    await refuseForms();
    noteActionStart();
    const event = openRequestEvent({ method: "ACTION", path: name });
    let error: AppError | undefined;
    try {
      const actor = await identify(await actionCaller());
      const call = { auth: options.auth ?? ("user" as const), limit: options.limit, input, run };
      const { output } = await runPipeline(call, { actor, log: event, raw: () => plainData(raw) });
      return { ok: true, value: output };
    } catch (thrown) {
      error = toAppError(thrown);
      return toFailure(error);
    } finally {
      event.finish({ status: error?.status ?? 200, error });
    }
  };
