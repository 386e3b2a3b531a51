import { ApiError, api } from "#lib/client/api.ts";
import { type FormOutcome, fieldErrorsOf } from "#lib/client/form-outcome.ts";
import { CONTACT_FIELDS, type ContactField, TEXTS } from "#lib/features/contact/policy.ts";

type ContactAnswer = { success?: boolean; message?: string; errors?: Record<string, unknown> };

/** The server's field errors, or else its message, or else the fallback. */
function refusalOf(body: unknown): FormOutcome<ContactField> {
  const { message, errors: given }: ContactAnswer = typeof body === "object" && body !== null ? body : {};
  const errors = fieldErrorsOf(given, CONTACT_FIELDS);
  return {
    kind: "refused",
    errors,
    problem: Object.keys(errors).length > 0 ? undefined : message || TEXTS.failed,
  };
}

/** Sends a message to support and passes the success text to `onDone`. Loaded when the form is submitted. */
export async function sendMessage(
  values: Record<ContactField, string>,
  signal: AbortSignal,
  onDone: (message: string) => void,
): Promise<FormOutcome<ContactField>> {
  try {
    const answer = await api.post<ContactAnswer>("/api/users/contact/", values, { signal });
    if (answer?.success !== true) return refusalOf(answer);
    onDone(answer.message || TEXTS.sent);
    return { kind: "done" };
  } catch (error) {
    return refusalOf(error instanceof ApiError ? error.body : undefined);
  }
}
