"use client";

import { type ReactNode, useState } from "react";
import { Pin, PinFace, type PinState } from "#components/shared/pin.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { FocusedHeading } from "#components/ui/focused-heading.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { callAction } from "#lib/client/api.ts";
import { confirmEmailChangeAction, verifyEmailAction } from "#lib/features/identity/actions.ts";

type ResultView = { title: string; text: ReactNode; href: string; label: string };

/** `invalid`: the link cannot be used (anymore). `error`: the call failed and may be retried. */
type LinkOutcome =
  | { kind: "done"; view: ResultView }
  | { kind: "invalid"; view: ResultView }
  | { kind: "error"; text: string };

type EmailLinkPageProps = { title: string; text: ReactNode; label: string; onConfirm: () => Promise<LinkOutcome> };

const STATES: Record<"done" | "invalid", PinState> = { done: "published", invalid: "failed" };

function LinkPin({ state }: { state: PinState }) {
  return (
    <span className="mb-3 block w-[132px]" aria-hidden="true">
      <Pin state={state} isPressing={state === "published"}>
        <PinFace src="/posters/eucalypt.svg" alt="" isEager />
      </Pin>
    </span>
  );
}

/** Asks for a click before using an emailed link, because mail scanners open links and would use it up. */
export function EmailLinkPage({ title, text, label, onConfirm }: EmailLinkPageProps) {
  const [isSending, setSending] = useState(false);
  const [outcome, setOutcome] = useState<LinkOutcome | null>(null);

  async function press(): Promise<void> {
    setSending(true);
    setOutcome(await onConfirm());
    setSending(false);
  }

  if (outcome?.kind === "done" || outcome?.kind === "invalid") {
    const { view } = outcome;
    return (
      <div className="grid justify-items-center gap-6">
        <LinkPin state={STATES[outcome.kind]} />
        <FocusedHeading className="screen-title">{view.title}</FocusedHeading>
        <p role="status" className="lead max-w-[42ch] wrap-anywhere">
          {view.text}
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
      <p className="lead max-w-[42ch]">{text}</p>
      {outcome?.kind === "error" && (
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

const INVALID = {
  title: "This link is no longer valid",
  text: "It was already used or canceled, or it has expired. Request a new one in Settings.",
  href: SETTINGS,
  label: "Open Settings",
} as const;

const TAKEN = {
  title: "This email is already in use",
  text: "Another account uses this email, so yours hasn't changed.",
  href: SETTINGS,
  label: "Open Settings",
} as const;

/** Confirms an email change. */
export function ChangeEmailLink({ token }: { token: string }) {
  return (
    <EmailLinkPage
      title="Confirm your new email"
      text="You'll use it to sign in, and we'll send our emails there."
      label="Use this email"
      onConfirm={async () => {
        const result = await callAction(confirmEmailChangeAction({ token }));
        if (!result.ok) {
          return result.code === "invalid" ? { kind: "invalid", view: INVALID } : { kind: "error", text: result.text };
        }
        if (result.value.kind !== "changed") {
          return { kind: "invalid", view: result.value.kind === "taken" ? TAKEN : INVALID };
        }
        const text = `From now on, sign in with ${result.value.email}.`;
        return {
          kind: "done",
          view: { title: "Your email has been changed", text, href: SETTINGS, label: "Continue" },
        };
      }}
    />
  );
}

const DONE = {
  title: "Your email is confirmed",
  text: "You're all set. Your first pins are just a few keywords away.",
  href: "/login",
  label: "Continue",
} as const;

const INVALID_VERIFICATION = {
  title: "This link is no longer valid",
  text: "It was already used or has expired. Sign in and request a new one.",
  href: "/login",
  label: "Sign in",
} as const;

/** Verifies the email of an account. */
export function VerifyEmailForm({ token }: { token: string }) {
  return (
    <EmailLinkPage
      title="Confirm your email"
      text="Select the button below to confirm that this is your email address."
      label="Confirm this email"
      onConfirm={async () => {
        const result = await callAction(verifyEmailAction({ token }));
        if (!result.ok && result.code !== "invalid") return { kind: "error", text: result.text };
        const isVerified = result.ok && result.value.kind === "verified";
        return isVerified ? { kind: "done", view: DONE } : { kind: "invalid", view: INVALID_VERIFICATION };
      }}
    />
  );
}
