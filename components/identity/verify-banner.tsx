"use client";

import { useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { api, describeFailure } from "#lib/client/api.ts";

type Phase = { kind: "idle" } | { kind: "sending" } | { kind: "done"; text: string };

/** Reminds users to verify their email and resends the link. Nothing is blocked. */
export function VerifyBanner({ email }: { email: string }) {
  const [phase, setPhase] = useState<Phase>({ kind: "idle" });
  const { isSessionFailure } = useSessionEnd();

  async function resend(): Promise<void> {
    setPhase({ kind: "sending" });
    try {
      const { message } = await api.post<{ message: string }>("/api/users/verify-email/resend/");
      setPhase({ kind: "done", text: message });
    } catch (error) {
      if (isSessionFailure(error)) return;
      setPhase({ kind: "done", text: describeFailure(error, "We couldn't send the email. Please try again.") });
    }
  }

  return (
    <Banner
      className="mb-8 items-center max-sm:flex-wrap max-sm:[&>div]:basis-3/4 max-sm:[&>button]:ml-[27px]"
      action={
        <Button variant="secondary" size="sm" isBusy={phase.kind === "sending"} onClick={resend}>
          Resend email
        </Button>
      }
    >
      <span role="status">
        {phase.kind === "done" ? (
          phase.text
        ) : (
          <>
            Please confirm <b className="font-semibold text-ink">{email}</b> with the link we emailed you.
          </>
        )}
      </span>
    </Banner>
  );
}
