"use client";

import { useState } from "react";
import { Pin } from "#components/pins/pin.tsx";
import { PinFace } from "#components/pins/pin-face.tsx";
import type { PinState } from "#components/pins/pin-state.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { verifyEmailAction } from "#lib/features/identity/actions.ts";

/** `asking` may carry why the last try did not get through. */
type Phase = { kind: "asking"; trouble?: string } | { kind: "sending" } | { kind: "verified" } | { kind: "dead" };

const UNREACHABLE = "The server could not be reached. Please try again.";

function VerifyPin({ state }: { state: PinState }) {
  return (
    <span className="mb-3 block w-[132px]" aria-hidden="true">
      <Pin state={state} isPressing={state === "published"}>
        <PinFace src="/posters/eucalypt.svg" alt="" isEager />
      </Pin>
    </span>
  );
}

/** Confirms an address by a press, so that a mail scanner which opens the link does not use it up. */
export function VerifyEmailForm({ token }: { token: string }) {
  const [phase, setPhase] = useState<Phase>({ kind: "asking" });

  async function verify(): Promise<void> {
    setPhase({ kind: "sending" });
    try {
      const result = await verifyEmailAction({ token });
      if (!result.ok && result.code !== "invalid") setPhase({ kind: "asking", trouble: result.text });
      else setPhase({ kind: result.ok && result.value.kind === "verified" ? "verified" : "dead" });
    } catch {
      setPhase({ kind: "asking", trouble: UNREACHABLE });
    }
  }

  if (phase.kind === "verified") {
    return (
      <div role="status" className="grid justify-items-center gap-6">
        <VerifyPin state="published" />
        <h1 className="screen-title">Your e-mail is confirmed</h1>
        <p className="lead">Everything is ready. Your first pins are a few keywords away.</p>
        <LinkButton href="/login" variant="primary" size="lg">
          Continue
        </LinkButton>
      </div>
    );
  }
  if (phase.kind === "dead") {
    return (
      <div role="alert" className="grid justify-items-center gap-6">
        <VerifyPin state="failed" />
        <h1 className="screen-title">This link does not work any more</h1>
        <p className="lead max-w-[42ch]">It has been used already or has expired. Sign in and ask for a new one.</p>
        <LinkButton href="/login" variant="primary" size="lg">
          Sign in
        </LinkButton>
      </div>
    );
  }
  return (
    <div className="grid justify-items-center gap-6">
      <VerifyPin state="scheduled" />
      <h1 className="screen-title">Confirm your e-mail</h1>
      <p className="lead">One press, and the address is yours.</p>
      {phase.kind === "asking" && phase.trouble && (
        <Banner tone="failed" isAnnounced>
          {phase.trouble}
        </Banner>
      )}
      <Button variant="primary" size="lg" isBusy={phase.kind === "sending"} onClick={verify}>
        Confirm this address
      </Button>
    </div>
  );
}
