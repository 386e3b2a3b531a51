import { type ActionResult, ApiError, describeFailure } from "./api.ts";

export type FormErrors<F extends string> = Partial<Record<F, string>>;

/** `leaving` keeps the form locked until the next screen opens. `problem` is about the form, `errors` about fields. */
export type FormOutcome<F extends string> =
  | { kind: "done" }
  | { kind: "leaving" }
  | { kind: "refused"; problem?: string; errors?: FormErrors<F> };

const firstText = (value: unknown): string | undefined => {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === "string" && first ? first : undefined;
};

/** Returns the first message of each known field in `{field: [messages]}` or `{field: message}`. */
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

export const refusedCall = (error: unknown, fallback: string): FormOutcome<never> => ({
  kind: "refused",
  problem: describeFailure(error, fallback),
});

export const fieldErrorsOfCall = <F extends string>(error: unknown, fields: readonly F[]): FormErrors<F> =>
  error instanceof ApiError ? fieldErrorsOf(error.body, fields) : {};

/**
 * The outcome of a server action. Field errors replace the general text, which would only repeat them. A user
 * who declined to confirm their identity needs no message.
 */
export const outcomeOfAction = <F extends string>(
  answer: ActionResult<unknown>,
  fields: readonly F[],
): FormOutcome<F> => {
  if (answer.ok) return { kind: "done" };
  if (answer.code === "confirm_identity") return { kind: "refused" };
  const errors = fieldErrorsOf(answer.fields, fields);
  return Object.keys(errors).length > 0 ? { kind: "refused", errors } : { kind: "refused", problem: answer.text };
};
