"use client";

import { useState } from "react";
import { useSessionEnd } from "#components/shared/session.ts";
import { Button } from "#components/ui/button.tsx";
import { api, describeFailure } from "#lib/client/api.ts";

type Phase = { kind: "idle" } | { kind: "sending" } | { kind: "done"; text: string };

interface Resending {
  isSending: boolean;
  /** What came of it; null before the first request. */
  text: string | null;
  resend: () => Promise<void>;
}

/** Sends the email that confirms the user's address again. */
export const useResendEmail = (): Resending => {
  const [phase, setPhase] = useState<Phase>({ kind: "idle" });
  const { isSessionFailure } = useSessionEnd();
  const resend = async (): Promise<void> => {
    setPhase({ kind: "sending" });
    try {
      const { message } = await api.post<{ message: string }>("/api/users/verify-email/resend/");
      setPhase({ kind: "done", text: message });
    } catch (error) {
      if (isSessionFailure(error)) return;
      setPhase({ kind: "done", text: describeFailure(error, "We couldn't send the email. Please try again.") });
    }
  };
  return { isSending: phase.kind === "sending", text: phase.kind === "done" ? phase.text : null, resend };
};

/** The action of a message that asks the user to confirm their email. */
export function ResendEmail() {
  const { isSending, text, resend } = useResendEmail();
  return (
    <span className="flex flex-wrap items-center gap-3">
      {text !== null && (
        <span role="status" className="text-sm">
          {text}
        </span>
      )}
      <Button variant="secondary" size="sm" isBusy={isSending} onClick={resend}>
        Send the email again
      </Button>
    </span>
  );
}
