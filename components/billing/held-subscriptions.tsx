"use client";

import { type RefObject, useRef, useState } from "react";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { callAction } from "#lib/client/api.ts";
import { cancelHeldSubscriptionAction } from "#lib/features/billing/actions.ts";
import { SETTINGS_TEXTS } from "#lib/features/billing/constants.ts";
import { PLANS, type PlanSlug } from "#lib/features/billing/plans.ts";
import { listPriceText } from "./subscription-text.ts";

/** `isEnding`: it ends with its period and is not charged again. */
export type HeldView = { id: string; plan: PlanSlug | null; isEnding: boolean };

const CANCELED = "Your second plan has been canceled. Your main plan and credits haven't changed.";

const nameOf = (plan: PlanSlug | null): string => (plan ? `${PLANS[plan].name} plan` : "plan");

type HeldProps = {
  held: HeldView;
  onEnded: () => void;
  /** Receives the focus after the cancellation, because the pressed button is removed. */
  confirmation: RefObject<HTMLDivElement | null>;
};

function Held({ held: { id, plan, isEnding }, onEnded, confirmation }: HeldProps) {
  const [isConfirming, setConfirming] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const hasEnded = useRef(false);
  async function cancel(): Promise<void> {
    setBusy(true);
    setProblem(null);
    const answer = await callAction(cancelHeldSubscriptionAction({ id }), SETTINGS_TEXTS.cancelFailed);
    if (answer.ok) {
      hasEnded.current = true;
      onEnded();
    } else setProblem(answer.text);
    setBusy(false);
    setConfirming(false);
  }
  return (
    <Banner tone="failed" className="mb-5">
      <p>
        <b>You're paying for a second {nameOf(plan)}</b>
        {plan && `, ${listPriceText(plan)},`} on top of the plan below, and you're not getting anything extra for it.
        Our support team has been notified and will get in touch.{" "}
        {isEnding
          ? "It's set to end, and you won't be charged for it again. You can also end it now."
          : "Cancel it here so that you aren't charged again."}
      </p>
      {problem !== null && (
        <p role="alert" className="mt-2 font-medium">
          {problem}
        </p>
      )}
      <Button size="sm" className="mt-3" onClick={() => setConfirming(true)}>
        Cancel the second plan
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        question="Cancel the second plan?"
        declineLabel="Not now"
        confirmLabel="Cancel the second plan"
        isDangerous
        isBusy={isBusy}
        focusAfter={() => (hasEnded.current ? confirmation.current : null)}
        onDecline={() => setConfirming(false)}
        onConfirm={cancel}
      >
        Your second {nameOf(plan)} will end immediately, and you won't be charged for it again. Your main plan and
        credits stay the same.
      </ConfirmDialog>
    </Banner>
  );
}

/** Held subscriptions, each with a button to cancel it. */
export function HeldSubscriptions({ initial }: { initial: readonly HeldView[] }) {
  const [ended, setEnded] = useState<readonly string[]>([]);
  const confirmation = useRef<HTMLDivElement>(null);
  return (
    <>
      {ended.length > 0 && (
        <Banner tone="success" isAnnounced focusRef={confirmation} className="mb-5">
          {CANCELED}
        </Banner>
      )}
      {initial
        .filter(({ id }) => !ended.includes(id))
        .map((held) => (
          <Held
            key={held.id}
            held={held}
            confirmation={confirmation}
            onEnded={() => setEnded((before) => [...before, held.id])}
          />
        ))}
    </>
  );
}
