"use client";

import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { useResendEmail } from "./resend-email.tsx";

/** Reminds users to verify their email and resends the link. The first free credits work without it. */
export function VerifyBanner({ email }: { email: string }) {
  const { isSending, text, resend } = useResendEmail();
  return (
    <Banner
      className="mb-8 items-center max-sm:flex-wrap max-sm:[&>div]:basis-3/4 max-sm:[&>button]:ml-[27px]"
      action={
        <Button variant="secondary" size="sm" isBusy={isSending} onClick={resend}>
          Resend email
        </Button>
      }
    >
      <span role="status">
        {text ?? (
          <>
            Please confirm <b className="font-semibold text-ink">{email}</b> with the link we emailed you.
          </>
        )}
      </span>
    </Banner>
  );
}
