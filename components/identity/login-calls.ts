import { ApiError, api, codeOf, describeAuthFailure, dropRejectedToken } from "#lib/client/api.ts";
import { setToken } from "#lib/client/browser-storage.ts";
import { type FormOutcome, fieldErrorsOfCall } from "#lib/client/form-outcome.ts";
import { takeRememberedPath } from "#lib/client/remembered.ts";
import { LOGIN_TEXTS } from "#lib/features/identity/fields.ts";

/* Calls of /login, loaded when needed to keep the page small. */

type LoginField = "email" | "password";

/** Logs in and stores the access token. `needsCode`: the password was right, and the next page asks for a code. */
export async function sendLogin(
  values: Record<LoginField, string>,
): Promise<FormOutcome<LoginField> & { needsCode?: boolean }> {
  try {
    const body = { email: values.email.trim(), password: values.password };
    const { accessToken } = await api.post<{ accessToken: string }>("/api/users/login/", body);
    setToken(accessToken);
    return { kind: "leaving" };
  } catch (error) {
    if (error instanceof ApiError && codeOf(error) === "second_step_required") {
      return { kind: "leaving", needsCode: true };
    }
    const problem = describeAuthFailure(error, LOGIN_TEXTS.loginFailed);
    return { kind: "refused", problem, errors: fieldErrorsOfCall(error, ["email", "password"]) };
  }
}

/** Exchanges the stored token for the session cookie. @throws ApiError; after a 401 the token is removed. */
export async function exchangeToken(signal: AbortSignal): Promise<void> {
  try {
    await api.post("/api/auth/exchange/", {}, { signal });
  } catch (error) {
    if (!signal.aborted && error instanceof ApiError && error.status === 401) dropRejectedToken(error);
    throw error;
  }
}

export { takeRememberedPath };
