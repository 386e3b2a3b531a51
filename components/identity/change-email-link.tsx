"use client";

import { MailedLink } from "#components/identity/mailed-link.tsx";
import { callAction } from "#lib/client/call-action.ts";
import { confirmEmailChangeAction } from "#lib/features/identity/actions.ts";

const SETTINGS = "/app/settings";

const DEAD = {
  title: "This link does not work any more",
  words: "It has been used already, was cancelled, or has expired. Ask for a new one in Settings.",
  href: SETTINGS,
  label: "Open Settings",
} as const;

const TAKEN = {
  title: "This address is in use",
  words: "An account with this address exists already, so yours keeps the one it has.",
  href: SETTINGS,
  label: "Open Settings",
} as const;

/** Confirms the new address of an account; until then the old one stays. */
export function ChangeEmailLink({ token }: { token: string }) {
  return (
    <MailedLink
      title="Confirm your new e-mail"
      words="From then on you sign in with it, and our mails go there."
      label="Use this address"
      use={async () => {
        const answer = await callAction(confirmEmailChangeAction({ token }));
        if (!answer.ok) {
          return answer.code === "invalid" ? { kind: "dead", view: DEAD } : { kind: "trouble", text: answer.text };
        }
        if (answer.value.kind !== "changed") {
          return { kind: "dead", view: answer.value.kind === "taken" ? TAKEN : DEAD };
        }
        const words = `Sign in with ${answer.value.email} from now on.`;
        return { kind: "done", view: { title: "Your e-mail is changed", words, href: SETTINGS, label: "Continue" } };
      }}
    />
  );
}
