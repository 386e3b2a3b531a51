import { browserSupportsWebAuthn, startRegistration } from "@simplewebauthn/browser";
import type { Run } from "#components/identity/confirm-identity.tsx";
import { type FormOutcome, outcomeOfAction } from "#lib/client/form-outcome.ts";
import { addPasskeyAction, requestNewPasskeyAction } from "#lib/features/sign-in/actions.ts";

/* Adding a passkey. Loaded when needed, with its library. */

const TEXTS = {
  unsupported: "This browser doesn't support passkeys.",
  known: "This device already has a passkey for your account.",
  unmade: "No passkey was created. Please try again.",
} as const;

/** Asks the browser to create a passkey, and stores it. */
export async function createPasskey(name: string, run: Run): Promise<FormOutcome<"name">> {
  if (!browserSupportsWebAuthn()) return { kind: "refused", problem: TEXTS.unsupported };
  const requested = await run(() => requestNewPasskeyAction({}));
  if (!requested.ok) return { kind: "refused", problem: requested.text };
  const { token, options } = requested.value;
  try {
    const response = await startRegistration({ optionsJSON: options });
    return outcomeOfAction(await run(() => addPasskeyAction({ token, name, response })), ["name"]);
  } catch (error) {
    console.warn("The browser created no passkey", error);
    const isKnown = error instanceof Error && error.name === "InvalidStateError";
    return { kind: "refused", problem: isKnown ? TEXTS.known : TEXTS.unmade };
  }
}
