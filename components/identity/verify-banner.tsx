"use client";

import X from "lucide-react/icons/x";
import { useLayoutEffect, useState } from "react";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { readStored, writeStored } from "#lib/client/browser-storage.ts";
import { useResendEmail } from "./resend-email.tsx";

const HIDDEN_KEY = "verify-banner-hidden";

/**
 * Reminds users to verify their email and resends the link, in one line on phones. It can be put away until the tab is
 * closed. The first free credits work without it.
 */
export function VerifyBanner({ email }: { email: string }) {
  const { isSending, text, resend } = useResendEmail();
  const [isHidden, setHidden] = useState(false);
  // Before the first paint with scripts, so that nothing moves later.
  useLayoutEffect(() => setHidden(readStored(HIDDEN_KEY, "session") === email), [email]);
  const hide = () => {
    writeStored(HIDDEN_KEY, email, "session");
    setHidden(true);
    document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
  };
  if (isHidden) return null;
  return (
    <Banner
      className="mb-8 flex-nowrap items-center max-md:mb-4 max-md:py-1 [&>div]:basis-0"
      action={
        <span className="flex flex-none items-center gap-1">
          <Button variant="secondary" size="sm" isBusy={isSending} onClick={resend}>
            Resend <span className="max-md:sr-only">email</span>
          </Button>
          <IconButton label="Hide until I close this tab" onClick={hide}>
            <X aria-hidden="true" />
          </IconButton>
        </span>
      }
    >
      <span role="status">
        {text ?? (
          <>
            <span className="max-md:hidden">
              Please confirm <b className="font-semibold text-ink">{email}</b> with the link we emailed you.
            </span>
            <span className="md:hidden">Please confirm your email.</span>
          </>
        )}
      </span>
    </Banner>
  );
}
