"use client";

import { type RefObject, useRef, useState } from "react";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { cancelHeldAction } from "#lib/features/billing/actions.ts";
import { SETTINGS_TEXTS } from "#lib/features/billing/constants.ts";
import { PLANS, type PlanSlug } from "#lib/features/billing/plans.ts";
import { listPriceWords } from "./subscription-words.ts";

/** `isEnding`: it ends by itself, and is charged no more. */
export type HeldView = { id: string; plan: PlanSlug | null; isEnding: boolean };

const CANCELED = "The second plan has been canceled. Your plan and your credits are as they were.";

const nameOf = (plan: PlanSlug | null): string => (plan ? `${PLANS[plan].name} plan` : "plan");

type HeldProps = {
  held: HeldView;
  onEnded: () => void;
  /** What tells that it has ended: the button that was pressed is gone by then. */
  news: RefObject<HTMLDivElement | null>;
};

function Held({ held: { id, plan, isEnding }, onEnded, news }: HeldProps) {
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const hasEnded = useRef(false);
  async function cancel(): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      const answer = await cancelHeldAction({ id });
      if (answer.ok) {
        hasEnded.current = true;
        return onEnded();
      }
      setProblem(answer.text);
    } catch {
      setProblem(SETTINGS_TEXTS.cancelFailed);
    } finally {
      setBusy(false);
      setAsking(false);
    }
  }
  return (
    <Banner tone="failed" className="mb-5">
      <p>
        <b>You pay for a second {nameOf(plan)}</b>
        {plan && `, ${listPriceWords(plan)},`} beside the plan below. It gives you nothing. Support was told of its
        payment and will get in touch;{" "}
        {isEnding
          ? "it is set to end and is not charged again. You can end it at once."
          : "cancel it here so that it is not charged again."}
      </p>
      {problem !== null && (
        <p role="alert" className="mt-2 font-medium">
          {problem}
        </p>
      )}
      <Button size="sm" className="mt-3" onClick={() => setAsking(true)}>
        Cancel the second plan
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        question="Cancel the second plan?"
        declineLabel="Not now"
        confirmLabel="Cancel the second plan"
        isDangerous
        isBusy={isBusy}
        focusAfter={() => (hasEnded.current ? news.current : null)}
        onDecline={() => setAsking(false)}
        onConfirm={cancel}
      >
        The second {nameOf(plan)} ends at once and is charged no more. Your plan and your credits stay as they are.
      </ConfirmDialog>
    </Banner>
  );
}

/** Subscriptions that are paid beside the one that gives the plan, each with the way to end it. */
export function HeldSubscriptions({ initial }: { initial: readonly HeldView[] }) {
  const [ended, setEnded] = useState<readonly string[]>([]);
  const news = useRef<HTMLDivElement>(null);
  return (
    <>
      {ended.length > 0 && (
        <Banner tone="success" isAnnounced focusRef={news} className="mb-5">
          {CANCELED}
        </Banner>
      )}
      {initial
        .filter(({ id }) => !ended.includes(id))
        .map((held) => (
          <Held key={held.id} held={held} news={news} onEnded={() => setEnded((before) => [...before, held.id])} />
        ))}
    </>
  );
}
