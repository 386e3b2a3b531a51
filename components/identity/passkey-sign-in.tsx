"use client";

import KeyRound from "lucide-react/icons/key-round";
import { useRouter } from "next/navigation";
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { LOGIN_TEXTS } from "#lib/features/identity/fields.ts";

const NOT_LOADED = "We couldn't start the passkey sign-in. Please try again.";

function useEnterApp() {
  const router = useRouter();
  const notice = useNotice();
  return (path: string) => {
    notice.success(LOGIN_TEXTS.loggedIn);
    router.replace(path);
  };
}

async function canOffer(): Promise<boolean> {
  // Missing in older browsers and without HTTPS.
  const Credential = window.PublicKeyCredential as Partial<typeof PublicKeyCredential> | undefined;
  return (await Credential?.isConditionalMediationAvailable?.()) ?? false;
}

/** Lets the browser list this site's passkeys in the email field, where it supports that. */
export function useOfferedPasskeys(): void {
  const enterApp = useEnterApp();
  const notice = useNotice();

  const offer = useEffectEvent(async (signal: AbortSignal): Promise<void> => {
    if (!(await canOffer()) || signal.aborted) return;
    const { cancelPasskey, offerPasskeys, takeRememberedPath } = await import("./passkey-calls.ts");
    if (signal.aborted) return;
    signal.addEventListener("abort", cancelPasskey);
    const outcome = await offerPasskeys();
    if (signal.aborted) return;
    if (outcome.kind === "signed-in") enterApp(takeRememberedPath());
    if (outcome.kind === "refused") notice.error(outcome.problem);
  });

  useEffect(() => {
    const controller = new AbortController();
    offer(controller.signal).catch((error: unknown) => console.warn("Passkeys can't be offered", error));
    return () => controller.abort();
  }, []);
}

type PasskeyButtonProps = { onProblem: (text: string) => void; children: ReactNode };

/** Signs in with a passkey, which counts as both steps. Hidden without scripts. */
export function PasskeyButton({ onProblem, children }: PasskeyButtonProps) {
  const enterApp = useEnterApp();
  const [isBusy, setBusy] = useState(false);

  async function signIn(): Promise<void> {
    setBusy(true);
    try {
      const { signInWithPasskey, takeRememberedPath } = await import("./passkey-calls.ts");
      const outcome = await signInWithPasskey();
      if (outcome.kind === "signed-in") return enterApp(takeRememberedPath());
      if (outcome.kind === "refused") onProblem(outcome.problem);
    } catch (error) {
      console.warn("The passkey sign-in could not be loaded", error);
      onProblem(NOT_LOADED);
    }
    setBusy(false);
  }

  return (
    <Button size="lg" className="mt-3 w-full noscript:hidden" isBusy={isBusy} onClick={signIn}>
      <KeyRound aria-hidden="true" />
      {children}
    </Button>
  );
}
