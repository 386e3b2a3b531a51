"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { actionValue, callAction } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { formatCount } from "#lib/core/text.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { countOverdueAction, publishRestAction } from "#lib/features/publishing/actions.ts";

const pinsOf = (count: number): string => `${formatCount(count)} overdue ${count === 1 ? "pin" : "pins"}`;

type OverduePinsProps = {
  accountId: string;
  /** The server's count; undefined for an account that was chosen later. */
  initial: number | undefined;
  onChanged: () => void;
};

/** Says that overdue pins publish at their planned pace, and lets their user publish them now. */
export function OverduePins({ accountId, initial, onChanged }: OverduePinsProps) {
  const notice = useNotice();
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  // On failure the current count stays until the next minute.
  const { data: count = 0, refetch } = useQuery({
    queryKey: queryKeys.overdue(accountId),
    queryFn: () => actionValue(countOverdueAction({ accountId })),
    ...(initial !== undefined && { initialData: initial }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: false,
    refetchInterval: ({ state }) => (state.data ? MINUTE_MS : false),
  });

  const publish = async () => {
    setBusy(true);
    const answer = await callAction(publishRestAction({ accountId }));
    setBusy(false);
    setAsking(false);
    if (answer.ok) showToast(`Publishing ${pinsOf(answer.value.moved)}, a minute apart`, { hasCheck: true });
    else notice.error(answer.text);
    void refetch();
    onChanged();
  };

  return (
    <div role="status" className="not-empty:mb-4">
      {count > 0 && (
        <Banner
          tone="low"
          className="items-center max-[40.0625rem]:flex-wrap"
          action={
            <Button size="sm" onClick={() => setAsking(true)}>
              Publish them now
            </Button>
          }
        >
          {count === 1
            ? `${pinsOf(count)} is waiting its turn, to protect your account.`
            : `${pinsOf(count)} are going out one by one, spaced the way you scheduled them, to protect your account.`}
        </Banner>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        question={`Publish ${pinsOf(count)} now?`}
        declineLabel="Keep my spacing"
        confirmLabel="Publish now"
        isBusy={isBusy}
        onDecline={() => setAsking(false)}
        onConfirm={publish}
      >
        {count === 1
          ? "It'll be published right away. Pinterest may mistake pins that are close together for spam."
          : "They'll be published one minute apart, starting now. Pinterest may mistake that many pins in a short time for spam."}
      </ConfirmDialog>
    </div>
  );
}
