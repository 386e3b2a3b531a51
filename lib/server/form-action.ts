import "server-only";
import { redirect } from "next/navigation";
import type { z } from "zod";
import type { Actor } from "#lib/context.ts";
import { toAppError } from "#lib/core/errors.ts";
import type { FormAnswer } from "#lib/core/form-answer.ts";
import type { OpenedLogin } from "#lib/features/identity/sessions.ts";
import { actionCaller } from "./action.ts";
import { keepLogin, nextPathOfForm, visitorOf } from "./actor.ts";
import { loginSubject } from "./auth.ts";
import { openRequestEvent, type Passage, pass } from "./pipeline.ts";
import type { LimitName } from "./rate-limit.ts";

/** Counts what is asked for one account, as the documented calls do. */
export const perAccount = (name: LimitName) => ({
  name,
  subject: (input: { email: string }, actor: Actor): string =>
    loginSubject(input.email, "address" in actor ? actor.address : ""),
});

/** Keeps a login that a form opened, and goes on to where the form was asked for. */
export const enterApp = async (login: Pick<OpenedLogin, "userId" | "loginId">): Promise<never> => {
  await keepLogin(login);
  return redirect(await nextPathOfForm());
};

interface FormOptions<F extends string, S extends z.ZodType, O>
  extends Pick<Passage<S, O>, "limit" | "limitInput" | "input" | "run"> {
  /** For the log. */
  name: string;
  /** The names of the fields, as the HTML has them. */
  fields: readonly F[];
  /** Fields whose text is never sent back. */
  secrets?: readonly F[];
  /** The rules that the browser applies too; empty when all hold. */
  check: (values: Record<F, string>) => Partial<Record<F, string>>;
  /** The text for the whole form when a rule is broken. */
  brokenText?: string;
  /** What goes into the use case when it is not the fields by their own names. */
  toInput?: (values: Record<F, string>, data: FormData) => unknown;
  /** After a success, outside of error handling: a redirect may be thrown here. Returns the text to show. */
  onDone: (output: O) => Promise<string | undefined>;
}

const textsOf = <F extends string>(data: FormData, fields: readonly F[]): Record<F, string> => {
  const entries = fields.map((field) => {
    const value = data.get(field);
    return [field, typeof value === "string" ? value : ""];
  });
  // One entry for each field, by the line above.
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

/**
 * A form on a public page as a server action, for browsers without scripts: the same rules, limits and use case as the
 * documented call that the page's script makes. What is wrong comes back as an answer that the page renders.
 */
export const formAction =
  <F extends string, S extends z.ZodType, O>(options: FormOptions<F, S, O>) =>
  async (_before: FormAnswer<F>, data: FormData): Promise<FormAnswer<F>> => {
    const { fields, secrets = [], toInput, limit, limitInput, input, run } = options;
    const typed = textsOf(data, fields);
    const shown = Object.fromEntries(Object.entries(typed).filter(([field]) => !secrets.some((one) => one === field)));
    const values = shown as Partial<Record<F, string>>;
    const broken = options.check(typed);
    if (Object.keys(broken).length > 0) return { isDone: false, values, errors: broken, message: options.brokenText };
    const event = openRequestEvent({ method: "FORM", path: options.name });
    let output: O;
    try {
      const actor = visitorOf(await actionCaller());
      const passage = { auth: "visitor" as const, limit, limitInput, input, run };
      ({ output } = await pass(passage, { actor, log: event, raw: async () => toInput?.(typed, data) ?? typed }));
      event.finish({ status: 200 });
    } catch (thrown) {
      const error = toAppError(thrown);
      event.finish({ status: error.status, error });
      return { isDone: false, values, errors: firstTexts(error.fields, fields), message: error.message };
    }
    return { isDone: true, values, errors: {}, message: await options.onDone(output) };
  };
