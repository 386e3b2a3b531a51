"use client";

import { MailedLink } from "#components/identity/mailed-link.tsx";
import { callAction } from "#lib/client/call-action.ts";
import { verifyEmailAction } from "#lib/features/identity/actions.ts";

const DONE = {
  title: "Your e-mail is confirmed",
  words: "Everything is ready. Your first pins are a few keywords away.",
  href: "/login",
  label: "Continue",
} as const;

const DEAD = {
  title: "This link does not work any more",
  words: "It has been used already or has expired. Sign in and ask for a new one.",
  href: "/login",
  label: "Sign in",
} as const;

/** Confirms the address of an account. */
export function VerifyEmailForm({ token }: { token: string }) {
  return (
    <MailedLink
      title="Confirm your e-mail"
      words="One press, and the address is yours."
      label="Confirm this address"
      use={async () => {
        const answer = await callAction(verifyEmailAction({ token }));
        if (!answer.ok && answer.code !== "invalid") return { kind: "trouble", text: answer.text };
        const isVerified = answer.ok && answer.value.kind === "verified";
        return isVerified ? { kind: "done", view: DONE } : { kind: "dead", view: DEAD };
      }}
    />
  );
}
