"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { useConfirmedAction } from "#components/identity/confirm-identity.tsx";
import { GoogleMark } from "#components/identity/google-sign-in.tsx";
import { Button } from "#components/ui/button.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { editQuery } from "#lib/client/edit-query.ts";
import { beginGoogleLinkAction, unlinkGoogleAction } from "#lib/features/sign-in/actions.ts";
import { googleFailureText } from "#lib/features/sign-in/policy.ts";

/** Connects and disconnects a Google account. `email`: of the connected one. */
export function GoogleSetting({ email }: { email: string | null }) {
  const run = useConfirmedAction();
  const router = useRouter();
  const [isBusy, setBusy] = useState(false);
  useEffect(
    () =>
      editQuery((search) => {
        const result = search.get("google");
        const text = result === "connected" ? "Google connected" : googleFailureText(result);
        search.delete("google");
        if (text) showToast(text, { hasCheck: result === "connected" });
      }),
    [],
  );

  async function connect(): Promise<void> {
    setBusy(true);
    const answer = await run(() => beginGoogleLinkAction({}));
    if (answer.ok) return location.assign(answer.value.url);
    setBusy(false);
    showToast(answer.text);
  }

  async function disconnect(): Promise<void> {
    setBusy(true);
    const answer = await run(() => unlinkGoogleAction({}));
    setBusy(false);
    showToast(answer.ok ? "Google disconnected" : answer.text, { hasCheck: answer.ok });
    router.refresh();
  }

  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
      <p className="flex min-w-0 items-center gap-3 text-ui wrap-anywhere">
        <GoogleMark />
        {email ?? "Not connected"}
      </p>
      <Button isBusy={isBusy} onClick={email === null ? connect : disconnect}>
        {email === null ? "Connect Google" : "Disconnect"}
        {email !== null && <span className="sr-only"> Google</span>}
      </Button>
    </div>
  );
}
