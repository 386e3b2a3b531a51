"use client";

import { type ReactNode, useState } from "react";
import { Pin } from "#components/pins/pin.tsx";
import { PinFace } from "#components/pins/pin-face.tsx";
import type { PinState } from "#components/pins/pin-state.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { FocusedHeading } from "#components/ui/focused-heading.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";

type View = { title: string; words: ReactNode; href: string; label: string };

/** What a press came to: it worked, the link is dead, or (a text) it did not get through and may be tried again. */
export type LinkOutcome =
  | { kind: "done"; view: View }
  | { kind: "dead"; view: View }
  | { kind: "trouble"; text: string };

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
