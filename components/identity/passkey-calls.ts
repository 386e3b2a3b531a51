import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  WebAuthnAbortService,
} from "@simplewebauthn/browser";
import { api, describeFailure } from "#lib/client/api.ts";
import { setToken } from "#lib/client/browser-storage.ts";

/* Signing in with a passkey. Loaded when needed, with its library. */

type Outcome = { kind: "signed-in" } | { kind: "canceled" } | { kind: "refused"; problem: string };

const TEXTS = {
  unsupported: "This browser doesn't support passkeys.",
  unused: "No passkey was used. Try again, or use another way to sign in.",
  failed: "We couldn't sign you in with a passkey. Please try again.",
} as const;

/** Browsers use the same error for a closed prompt, a missing passkey and a timeout. */
function isCanceled(error: unknown): boolean {
  return error instanceof Error && ["AbortError", "NotAllowedError"].includes(error.name);
}

type Request = { token: string; options: PublicKeyCredentialRequestOptionsJSON };

const requestOptions = (): Promise<Request> => api.post<Request>("/api/auth/passkey/options/");

/** Stores the access token, like the login form. `isOffered`: the browser lists passkeys in the email field. */
async function answerWith({ token, options }: Request, isOffered: boolean): Promise<Outcome> {
  try {
    const response = await startAuthentication({ optionsJSON: options, useBrowserAutofill: isOffered });
    const { accessToken } = await api.post<{ accessToken: string }>("/api/auth/passkey/", { token, response });
    setToken(accessToken);
    return { kind: "signed-in" };
  } catch (error) {
    if (!isCanceled(error)) return { kind: "refused", problem: describeFailure(error, TEXTS.failed) };
    return isOffered ? { kind: "canceled" } : { kind: "refused", problem: TEXTS.unused };
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

/** Lets the browser list passkeys in the email field. Waits until the user picks one. @throws ApiError */
export async function offerPasskeys(): Promise<Outcome> {
  return answerWith(await requestOptions(), true);
}

/** Ends a request that still waits for the user. */
export function cancelPasskey(): void {
  WebAuthnAbortService.cancelCeremony();
}

export { takeRememberedPath } from "#lib/client/remembered.ts";
