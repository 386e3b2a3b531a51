"use client";

import Plus from "lucide-react/icons/plus";
import { useState } from "react";
import { AccountCard } from "#components/accounts/account-card.tsx";
import { useConnect } from "#components/accounts/use-connect.ts";
import { useConnectionNotice } from "#components/accounts/use-connection-notice.ts";
import { WaitingKeywords } from "#components/accounts/waiting-keywords.tsx";
import { useScreenCall } from "#components/identity/use-screen-call.ts";
import { useSessionEnd } from "#components/identity/use-session-end.ts";
import { PageHead } from "#components/shell/page-head.tsx";
import { useTimeZone } from "#components/shell/time-zone.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { api, describeFailure } from "#lib/client/api.ts";
import { useStream } from "#lib/client/use-stream.ts";
import { TEXTS } from "#lib/features/accounts/constants.ts";
import { overLimitText } from "#lib/features/accounts/policy.ts";
import type { AccountWire } from "#lib/features/accounts/schema.ts";
import type { PlanSlug } from "#lib/features/identity/constants.ts";

const PATH = "/api/users/pinterest/accounts/";

type AccountsScreenProps = {
  /** What our own records say; the live counts follow with the documented call. */
  initial: AccountWire[];
  plan: PlanSlug;
  timeZone: string;
  creatorPath: string;
};

/** Pinterest Accounts (R-ACC-01 to R-ACC-11). */
export function AccountsScreen({ initial, plan, timeZone: painted, creatorPath }: AccountsScreenProps) {
  const timeZone = useTimeZone(painted);
  useConnectionNotice();
  const notice = useNotice();
  const { data, error, isLoading, reload } = useScreenCall("accounts", (signal) =>
    api.get<AccountWire[]>(PATH, signal),
  );
  useStream(({ kind }) => {
    if (kind === "account" || kind === "reset") reload();
  });
  const { isBusy, refusal, connect } = useConnect();
  const { isSessionFailure } = useSessionEnd();
  const [leaving, setLeaving] = useState<AccountWire | null>(null);
  const [isRemoving, setRemoving] = useState(false);
  const accounts = data ?? initial;
  const overLimit = overLimitText(plan, accounts.length);

  const remove = async () => {
    if (!leaving) return;
    setRemoving(true);
    try {
      await api.put(PATH, { accountId: leaving.id });
      notice.success(TEXTS.removed);
      reload();
    } catch (failure) {
      if (isSessionFailure(failure)) return;
      notice.error(describeFailure(failure, "The account could not be removed. Please try again."));
    } finally {
      setRemoving(false);
      setLeaving(null);
    }
  };

  const connectButton = (
    <Button variant="primary" isBusy={isBusy} onClick={() => connect()}>
      <Plus aria-hidden="true" />
      Connect Account
    </Button>
  );

  return (
    <>
      <PageHead title="Pinterest Accounts" action={accounts.length > 0 && connectButton}>
        Pins go up on these accounts, and only when you schedule them.
      </PageHead>
      <div className="grid gap-4">
        {refusal && (
          <Banner tone="failed" isAnnounced>
            {refusal}
          </Banner>
        )}
        {overLimit && (
          <Banner
            tone="low"
            action={
              <LinkButton size="sm" href="/pricing">
                See plans
              </LinkButton>
            }
          >
            {overLimit}
          </Banner>
        )}
        {error !== null && (
          <Banner
            tone="failed"
            isAnnounced
            action={
              <Button size="sm" onClick={reload}>
                Try again
              </Button>
            }
          >
            {TEXTS.loadFailed}
          </Banner>
        )}
        {accounts.length > 0 ? (
          <ul className="account-grid">
            {accounts.map((account) => (
              <AccountCard
                key={account.id}
                account={account}
                isLoading={isLoading && data === null}
                timeZone={timeZone}
                onRemove={() => setLeaving(account)}
                onReconnect={() => connect(account.id)}
              />
            ))}
          </ul>
        ) : (
          <EmptyState title="No account connected yet" action={connectButton}>
            Connect the Pinterest account that your pins should go up on. You decide about every single one.
          </EmptyState>
        )}
        <WaitingKeywords
          isConnected={accounts.some(({ status }) => status === "connected")}
          creatorPath={creatorPath}
        />
      </div>
      <ConfirmDialog
        isOpen={leaving !== null}
        question={TEXTS.confirmRemove}
        declineLabel="Keep it"
        confirmLabel="Remove"
        isDangerous
        isBusy={isRemoving}
        onDecline={() => setLeaving(null)}
        onConfirm={remove}
      >
        Scheduled pins of {leaving?.username ?? "this account"} go back to draft. What is published stays on Pinterest.
      </ConfirmDialog>
    </>
  );
}
