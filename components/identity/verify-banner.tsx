"use client";

import { useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { api, describeFailure } from "#lib/client/api.ts";

type Phase = { kind: "asking" } | { kind: "sending" } | { kind: "answered"; text: string };

/** Asks a user with an unconfirmed address to confirm it, and sends the mail again. Nothing is blocked. */
export function VerifyBanner({ email }: { email: string }) {
  const [phase, setPhase] = useState<Phase>({ kind: "asking" });
  const { isSessionFailure } = useSessionEnd();

  async function resend(): Promise<void> {
    setPhase({ kind: "sending" });
    try {
      const { message } = await api.post<{ message: string }>("/api/users/verify-email/resend/");
      setPhase({ kind: "answered", text: message });
    } catch (error) {
      if (isSessionFailure(error)) return;
      setPhase({ kind: "answered", text: describeFailure(error, "The mail could not be sent. Please try again.") });
    }
  }

  return (
    <Banner
      className="mb-8 items-center max-sm:flex-wrap max-sm:[&>div]:basis-3/4 max-sm:[&>button]:ml-[27px]"
      action={
        <Button variant="secondary" size="sm" isBusy={phase.kind === "sending"} onClick={resend}>
          Send it again
        </Button>
      }
    >
      <span role="status">
        {phase.kind === "answered" ? (
          phase.text
        ) : (
          <>
            Please confirm <b className="font-semibold text-ink">{email}</b> with the link we sent you.
          </>
        )}
      </span>
    </Banner>
  );
}
