import { api } from "#lib/client/api.ts";
import { type FormOutcome, refusedCall } from "#lib/client/form-outcome.ts";
import { TEXTS } from "#lib/features/identity/texts.ts";

/** Asks for a link to choose a new password; loaded when the form is sent (R-FPW-02..06). */
export async function askForReset(email: string, signal: AbortSignal): Promise<FormOutcome<"email">> {
  try {
    await api.post("/api/users/password-reset/", { email }, signal);
    return { kind: "done" };
  } catch (error) {
    return refusedCall(error, TEXTS.resetFailedToSend);
  }
}
