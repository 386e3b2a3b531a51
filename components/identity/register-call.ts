import { api, describeAuthFailure } from "#lib/client/api.ts";
import { type FormOutcome, fieldErrorsOfCall } from "#lib/client/form-outcome.ts";
import { REGISTER_FIELDS, type RegisterField, type RegisterValues } from "#lib/features/identity/policy.ts";
import { TEXTS } from "#lib/features/identity/texts.ts";

/** Registers and passes the success message to `onDone`. Loaded when the form is submitted. */
export async function sendRegistration(
  values: RegisterValues,
  onDone: (message: string) => void,
): Promise<FormOutcome<RegisterField>> {
  try {
    const answer = await api.post<{ message?: string }>("/api/users/register/", values);
    onDone(answer?.message || TEXTS.registeredFallback);
    return { kind: "leaving" };
  } catch (error) {
    const problem = describeAuthFailure(error, TEXTS.registrationFailed);
    return { kind: "refused", problem, errors: fieldErrorsOfCall(error, REGISTER_FIELDS) };
  }
}
