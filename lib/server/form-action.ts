import "server-only";
import { redirect } from "next/navigation";
import type { z } from "zod";
import type { Actor } from "#lib/context.ts";
import { AppError, toAppError } from "#lib/core/errors.ts";
import type { FormResult } from "#lib/core/form-result.ts";
import { pathWithNext, safePath } from "#lib/core/paths.ts";
import type { OpenedLogin } from "#lib/features/identity/sessions.ts";
import { VERIFY_PATH } from "#lib/features/sign-in/constants.ts";
import { actionCaller } from "./action.ts";
import { noteActionStart } from "./action-start.ts";
import {
  markFormLogin,
  nextPathOfForm,
  rememberBrowser,
  setLoginCookies,
  setSecondStepCookie,
  visitorOf,
} from "./actor.ts";
import { loginSubject } from "./auth.ts";
import { openRequestEvent, type PipelineOptions, runPipeline } from "./pipeline.ts";
import type { LimitName } from "./rate-limit.ts";

/** Shared with the documented calls. */
export const perAccount = (name: LimitName) => ({
  name,
  subject: (input: { email: string }, actor: Actor): string =>
    loginSubject(input.email, "address" in actor ? actor.address : ""),
});

export const enterApp = async (login: OpenedLogin): Promise<never> => {
  await setLoginCookies(login);
  await markFormLogin();
  return redirect(await nextPathOfForm());
};

export const askForCode = async (error: AppError): Promise<void> => {
  const challenge = error.code === "second_step_required" ? error.more?.challenge : undefined;
  if (typeof challenge !== "string") return;
  await setSecondStepCookie(challenge);
  const next = await nextPathOfForm();
  redirect(next === safePath(null) ? VERIFY_PATH : pathWithNext(VERIFY_PATH, next));
};

/** Spares this browser from waiting for its next sign-in. */
export const rememberThisBrowser = async ({ message, knownBrowser }: { message: string; knownBrowser: string }) => {
  await rememberBrowser(knownBrowser);
  return message;
};

interface FormOptions<F extends string, S extends z.ZodType, O>
  extends Pick<PipelineOptions<S, O>, "limit" | "limitInput" | "input" | "run"> {
  name: string;
  fields: readonly F[];
  /** Never sent back. */
  secrets?: readonly F[];
  /** Shared with the browser. */
  check: (values: Record<F, string>) => Partial<Record<F, string>>;
  brokenText?: string;
  toInput?: (values: Record<F, string>, data: FormData) => unknown;
  /** May throw a redirect instead of showing the error. */
  onRefused?: (error: AppError) => Promise<void>;
  /** Outside of error handling, so it may throw a redirect. Returns the text to show. */
  onDone: (output: O) => Promise<string | undefined>;
}

const textsOf = <F extends string>(data: FormData, fields: readonly F[]): Record<F, string> => {
  const entries = fields.map((field) => {
    const value = data.get(field);
    return [field, typeof value === "string" ? value : ""];
  });
  return Object.fromEntries(entries) as Record<F, string>;
};

const firstTexts = <F extends string>(given: Record<string, string[]> | undefined, fields: readonly F[]) => {
  const errors: Partial<Record<F, string>> = {};
  for (const field of fields) {
    const text = given?.[field]?.[0];
    if (text) errors[field] = text;
  }
  return errors;
};

/** For forms without JavaScript, with the checks, limits and use case of the documented call. */
export const formAction =
  <F extends string, S extends z.ZodType, O>(options: FormOptions<F, S, O>) =>
  async (before: FormResult<F>, sent: FormData): Promise<FormResult<F>> => {
    // Our forms always send both. Thrown before the start, so the response is a 400.
    const isState = before === null || typeof before?.isDone === "boolean";
    if (!isState || !(sent instanceof FormData)) throw new AppError("invalid");
    noteActionStart();
    const { fields, secrets = [], toInput, limit, limitInput, input, run } = options;
    const typed = textsOf(sent, fields);
    const shown = Object.fromEntries(Object.entries(typed).filter(([field]) => !secrets.some((one) => one === field)));
    const values = shown as Partial<Record<F, string>>;
    const broken = options.check(typed);
    if (Object.keys(broken).length > 0) return { isDone: false, values, errors: broken, message: options.brokenText };
    const event = openRequestEvent({ method: "FORM", path: options.name });
    let output: O;
    try {
      const actor = visitorOf(await actionCaller());
      const call = { auth: "visitor" as const, limit, limitInput, input, run };
      ({ output } = await runPipeline(call, {
        actor,
        log: event,
        raw: async () => toInput?.(typed, sent) ?? typed,
      }));
      event.finish({ status: 200 });
    } catch (thrown) {
      const error = toAppError(thrown);
      event.finish({ status: error.status, error });
      await options.onRefused?.(error);
      return { isDone: false, values, errors: firstTexts(error.fields, fields), message: error.message };
    }
    return { isDone: true, values, errors: {}, message: await options.onDone(output) };
  };
