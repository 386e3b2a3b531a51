import {
  type AuthenticationResponseJSON,
  browserSupportsWebAuthn,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  WebAuthnAbortService,
} from "@simplewebauthn/browser";
import { api, callAction, describeFailure } from "#lib/client/api.ts";
import { setToken } from "#lib/client/browser-storage.ts";
import { type FormOutcome, outcomeOfAction } from "#lib/client/form-outcome.ts";
import { confirmWithPasskeyAction, requestPasskeyConfirmationAction } from "#lib/features/sign-in/actions.ts";

/* Signing in and confirming with a passkey. Loaded when needed, with its library. */

type Outcome = { kind: "signed-in" } | { kind: "canceled" } | { kind: "refused"; problem: string };

const TEXTS = {
  unsupported: "This browser doesn't support passkeys.",
  unused: "No passkey was used. Try again, or use another method.",
  failed: "We couldn't sign you in with a passkey. Please try again.",
} as const;

/** Browsers use the same error for a closed prompt, a missing passkey and a timeout. */
function isCanceled(error: unknown): boolean {
  return error instanceof Error && ["AbortError", "NotAllowedError"].includes(error.name);
}

type Request = { token: string; options: PublicKeyCredentialRequestOptionsJSON };

const requestOptions = (): Promise<Request> => api.post<Request>("/api/auth/passkey/options/");

/** Problems of an offer are not shown: the user has not asked for it, and can sign in another way. */
function outcomeOfPrompt(error: unknown, isOffered: boolean): Outcome {
  if (!isOffered) return { kind: "refused", problem: isCanceled(error) ? TEXTS.unused : TEXTS.failed };
  if (!isCanceled(error)) console.warn("The browser can't offer passkeys", error);
  return { kind: "canceled" };
}

/** Stores the access token, like the login form. `isOffered`: the browser lists passkeys in the email field. */
async function answerWith({ token, options }: Request, isOffered: boolean): Promise<Outcome> {
  let response: AuthenticationResponseJSON;
  try {
    response = await startAuthentication({ optionsJSON: options, useBrowserAutofill: isOffered });
  } catch (error) {
    return outcomeOfPrompt(error, isOffered);
  }
  try {
    const { accessToken } = await api.post<{ accessToken: string }>("/api/auth/passkey/", { token, response });
    setToken(accessToken);
    return { kind: "signed-in" };
  } catch (error) {
    return { kind: "refused", problem: describeFailure(error, TEXTS.failed) };
  }
}

/** Asks the browser for a passkey now. */
export async function signInWithPasskey(): Promise<Outcome> {
  if (!browserSupportsWebAuthn()) return { kind: "refused", problem: TEXTS.unsupported };
  try {
    return await answerWith(await requestOptions(), false);
  } catch (error) {
    return { kind: "refused", problem: describeFailure(error, TEXTS.failed) };
  }
}

/** Proves again who the user is, for sensitive changes. */
export async function confirmWithPasskey(): Promise<FormOutcome<never>> {
  if (!browserSupportsWebAuthn()) return { kind: "refused", problem: TEXTS.unsupported };
  const requested = await callAction(requestPasskeyConfirmationAction({}));
  if (!requested.ok) return { kind: "refused", problem: requested.text };
  const { token, options } = requested.value;
  try {
    const response = await startAuthentication({ optionsJSON: options });
    return outcomeOfAction(await callAction(confirmWithPasskeyAction({ token, response })), []);
  } catch (error) {
    if (!isCanceled(error)) console.warn("The browser used no passkey", error);
    return { kind: "refused", problem: TEXTS.unused };
  }
}

/** Lets the browser list passkeys in the email field. Waits until the user picks one. @throws ApiError */
export async function offerPasskeys(): Promise<Outcome> {
  return answerWith(await requestOptions(), true);
}

/** Ends a request that still waits for the user. */
export function cancelPasskey(): void {
  WebAuthnAbortService.cancelCeremony();
}

export { takeRememberedPath } from "#lib/client/remembered.ts";
