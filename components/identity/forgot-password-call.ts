import { api } from "#lib/client/api.ts";
import { type FormOutcome, refusedCall } from "#lib/client/form-outcome.ts";
import { TEXTS } from "#lib/features/identity/texts.ts";

/** Requests a reset link. Loaded when the form is submitted. */
export async function requestResetEmail(email: string, signal: AbortSignal): Promise<FormOutcome<"email">> {
  try {
    await api.post("/api/users/password-reset/", { email }, { signal });
    return { kind: "done" };
  } catch (error) {
    return refusedCall(error, TEXTS.resetFailedToSend);
  }
}
