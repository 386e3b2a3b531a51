"use client";

import { useState } from "react";
import { useSessionEnd } from "#components/identity/use-session-end.ts";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { api, describeFailure } from "#lib/client/api.ts";
import { formatCount } from "#lib/core/numbers.ts";
import { formatDate } from "#lib/core/time.ts";
import { SETTINGS_TEXTS } from "#lib/features/billing/constants.ts";
import type { CancelWire, SubscriptionWire } from "#lib/features/billing/schema.ts";
import { PLANS } from "#lib/features/identity/constants.ts";

type CancelDialogProps = {
  isOpen: boolean;
  subscription: SubscriptionWire;
  timeZone: string;
  onClose: () => void;
  onCanceled: (subscription: SubscriptionWire) => void;
  onFailed: (text: string) => void;
  /** What gets the focus once the button that asked is gone. */
  focusAfter: () => HTMLElement | null;
};

/** Asks before a subscription is cancelled; declining sends nothing (R-SET-05, R-SET-07 to R-SET-09). */
export function CancelDialog(props: CancelDialogProps) {
  const { isOpen, subscription, timeZone, onClose, onCanceled, onFailed, focusAfter } = props;
  const [isBusy, setBusy] = useState(false);
  const notice = useNotice();
  const { isSessionFailure } = useSessionEnd();
  const { plan, end_date } = subscription;
  const { creditsPerPeriod, accounts } = PLANS.free;

  async function cancel(): Promise<void> {
    setBusy(true);
    try {
      const answer = await api.post<CancelWire>("/api/users/subscription/cancel/");
      onCanceled(answer.subscription);
      notice.success(answer.message);
    } catch (error) {
      if (isSessionFailure(error)) return;
      const text = describeFailure(error, SETTINGS_TEXTS.cancelFailed);
      notice.error(text);
      onFailed(text);
    } finally {
      setBusy(false);
      onClose();
    }
  }

  return (
    <ConfirmDialog
      isOpen={isOpen}
      question="Cancel your subscription?"
      declineLabel="Keep my plan"
      confirmLabel="Cancel subscription"
      isDangerous
      isBusy={isBusy}
      focusAfter={focusAfter}
      onDecline={onClose}
      onConfirm={cancel}
    >
      You keep the {plan.name} plan {end_date ? `until ${formatDate(end_date, timeZone)}` : "to the end of its period"}.
      After that your account goes on with the free plan: {formatCount(creditsPerPeriod)} credits a month and {accounts}{" "}
      Pinterest account. Credits you bought stay, and no account or pin is removed.
    </ConfirmDialog>
  );
}
