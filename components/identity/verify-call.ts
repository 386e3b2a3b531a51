import { ApiError, api, codeOf, describeFailure } from "#lib/client/api.ts";
import { setToken } from "#lib/client/browser-storage.ts";
import { type FormOutcome, fieldErrorsOf } from "#lib/client/form-outcome.ts";
import { LOGIN_TEXTS } from "#lib/features/identity/fields.ts";
import { CODE_FIELDS } from "#lib/features/sign-in/policy.ts";

/* The second step of a sign-in. Loaded when the form is submitted. */

/** Sends the code and stores the access token. */
export async function sendCode(code: string): Promise<FormOutcome<"code">> {
  try {
    const { accessToken } = await api.post<{ accessToken: string }>("/api/users/login/verify/", { code });
    setToken(accessToken);
    return { kind: "leaving" };
  } catch (error) {
    const isField = error instanceof ApiError && codeOf(error) === "invalid";
    if (isField) return { kind: "refused", errors: fieldErrorsOf(Object(error.body).fields, CODE_FIELDS) };
    return { kind: "refused", problem: describeFailure(error, LOGIN_TEXTS.loginFailed) };
  }
}

export { takeRememberedPath } from "#lib/client/remembered.ts";
