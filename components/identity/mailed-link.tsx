"use client";

import { type ReactNode, useState } from "react";
import { Pin, PinFace, type PinState } from "#components/shared/pin.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { FocusedHeading } from "#components/ui/focused-heading.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { callAction } from "#lib/client/api.ts";
import { confirmEmailChangeAction, verifyEmailAction } from "#lib/features/identity/actions.ts";

type View = { title: string; words: ReactNode; href: string; label: string };

/** What a press came to: it worked, the link is dead, or (a text) it did not get through and may be tried again. */
type LinkOutcome = { kind: "done"; view: View } | { kind: "dead"; view: View } | { kind: "trouble"; text: string };

type MailedLinkProps = { title: string; words: ReactNode; label: string; use: () => Promise<LinkOutcome> };

const STATES: Record<"done" | "dead", PinState> = { done: "published", dead: "failed" };

function LinkPin({ state }: { state: PinState }) {
  return (
    <span className="mb-3 block w-[132px]" aria-hidden="true">
      <Pin state={state} isPressing={state === "published"}>
        <PinFace src="/posters/eucalypt.svg" alt="" isEager />
      </Pin>
    </span>
  );
}

/** A mailed link is used by a press, so that a mail scanner which only opens it does not use it up. */
export function MailedLink({ title, words, label, use }: MailedLinkProps) {
  const [isSending, setSending] = useState(false);
  const [outcome, setOutcome] = useState<LinkOutcome | null>(null);

  async function press(): Promise<void> {
    setSending(true);
    setOutcome(await use());
    setSending(false);
  }

  if (outcome?.kind === "done" || outcome?.kind === "dead") {
    const { view } = outcome;
    return (
      <div className="grid justify-items-center gap-6">
        <LinkPin state={STATES[outcome.kind]} />
        <FocusedHeading className="screen-title">{view.title}</FocusedHeading>
        <p role="status" className="lead max-w-[42ch] wrap-anywhere">
          {view.words}
        </p>
        <LinkButton href={view.href} variant="primary" size="lg">
          {view.label}
        </LinkButton>
      </div>
    );
  }
  return (
    <div className="grid justify-items-center gap-6">
      <LinkPin state="scheduled" />
      <h1 className="screen-title">{title}</h1>
      <p className="lead max-w-[42ch]">{words}</p>
      {outcome?.kind === "trouble" && (
        <Banner tone="failed" isAnnounced>
          {outcome.text}
        </Banner>
      )}
      <Button variant="primary" size="lg" isBusy={isSending} onClick={press}>
        {label}
      </Button>
    </div>
  );
}

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

const DONE = {
  title: "Your e-mail is confirmed",
  words: "Everything is ready. Your first pins are a few keywords away.",
  href: "/login",
  label: "Continue",
} as const;

const DEAD_VERIFICATION = {
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
        return isVerified ? { kind: "done", view: DONE } : { kind: "dead", view: DEAD_VERIFICATION };
      }}
    />
  );
}
