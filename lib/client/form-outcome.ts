import { type ActionAnswer, ApiError, describeFailure } from "./api.ts";

/** One message per field that is wrong. */
export type FormErrors<F extends string> = Partial<Record<F, string>>;

/**
 * What became of a form that was sent. `leaving` leads to another screen and keeps the form locked until then; of a
 * refusal, the `problem` belongs to the whole form and the errors to their fields.
 */
export type FormOutcome<F extends string> =
  | { kind: "done" }
  | { kind: "leaving" }
  | { kind: "refused"; problem?: string; errors?: FormErrors<F> };

const firstText = (value: unknown): string | undefined => {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === "string" && first ? first : undefined;
};

/** The first message of each known field in a server's `{field: [messages]}` or `{field: message}`. */
export const fieldErrorsOf = <F extends string>(body: unknown, fields: readonly F[]): FormErrors<F> => {
  if (typeof body !== "object" || body === null) return {};
  const answers = new Map<string, unknown>(Object.entries(body));
  const errors: FormErrors<F> = {};
  for (const field of fields) {
    const text = firstText(answers.get(field));
    if (text) errors[field] = text;
  }
  return errors;
};

/** A failed documented call, whose own text is read from `error` or `message`, else the literal fallback. */
export const refusedCall = (error: unknown, fallback: string): FormOutcome<never> => ({
  kind: "refused",
  problem: describeFailure(error, fallback),
});

/** What a failed call says about fields, in the dialect of register and login. */
export const fieldErrorsOfCall = <F extends string>(error: unknown, fields: readonly F[]): FormErrors<F> =>
  error instanceof ApiError ? fieldErrorsOf(error.body, fields) : {};

/** A server action's answer. With errors at fields of the form, the general text would only repeat them. */
export const outcomeOfAction = <F extends string>(
  answer: ActionAnswer<unknown>,
  fields: readonly F[],
): FormOutcome<F> => {
  if (answer.ok) return { kind: "done" };
  const errors = fieldErrorsOf(answer.fields, fields);
  return Object.keys(errors).length > 0 ? { kind: "refused", errors } : { kind: "refused", problem: answer.text };
};
