"use client";

import ExternalLink from "lucide-react/icons/external-link";
import Plus from "lucide-react/icons/plus";
import { type ReactNode, useEffect, useState, useSyncExternalStore } from "react";
import { EmptyState } from "#components/shared/empty-state.tsx";
import { LoadFailed } from "#components/shared/list-parts.tsx";
import { PageHeader } from "#components/shared/page-header.tsx";
import { useSessionEnd } from "#components/shared/session.ts";
import { useTimeZone } from "#components/shared/time-zone.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { buttonClass } from "#components/ui/button-style.ts";
import { cn } from "#components/ui/cn.ts";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { LinkButton } from "#components/ui/link-button.tsx";
import { useNotice } from "#components/ui/notice.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { api, describeFailure } from "#lib/client/api.ts";
import { editQuery } from "#lib/client/edit-query.ts";
import { noSubscription } from "#lib/client/no-subscription.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { deleteSavedKeywords, readSavedKeywords } from "#lib/client/remembered.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { creatorUrl, keywordsOf } from "#lib/core/paths.ts";
import { formatDate } from "#lib/core/time.ts";
import { TEXTS } from "#lib/features/accounts/constants.ts";
import { connectionFailureText, overLimitText } from "#lib/features/accounts/policy.ts";
import type { AccountWire } from "#lib/features/accounts/schema.ts";
import type { PlanSlug } from "#lib/features/billing/plans.ts";
import { KEYWORD_MAX, KEYWORDS_MAX } from "#lib/features/generation/constants.ts";
import { useConnect } from "./use-connect.ts";

/** Shows the result of a connection from the query string, then cleans up the URL. */
const useConnectionNotice = (): void => {
  const notice = useNotice();
  useEffect(
    () =>
      editQuery((search) => {
        const error = search.get("error");
        if (search.has("success")) notice.success(TEXTS.connected);
        else if (error !== null) notice.error(connectionFailureText(error));
        search.delete("success");
        search.delete("error");
      }),
    [notice],
  );
};

type AccountCardProps = {
  account: AccountWire;
  /** The live counts are still loading. */
  isLoading: boolean;
  timeZone: string;
  onRemove: () => void;
  onReconnect: () => void;
};

const FACTS = [
  ["total_boards", "Boards"],
  ["total_pins", "Pins"],
  ["followers", "Followers"],
  ["monthly_views", "Monthly views"],
] as const;

const countText = (count: number | null): string => (count === null ? "–" : count.toLocaleString("en-US"));

/** A connected account. Counts that Pinterest does not provide are shown as a dash. */
function AccountCard({ account, isLoading, timeZone, onRemove, onReconnect }: AccountCardProps) {
  return (
    <li className="rounded-card bg-surface shadow-card grid gap-5 pt-5.5 pb-4 px-5.5">
      <div className="flex min-w-0 items-center gap-3.5">
        <span
          aria-hidden="true"
          className={cn(
            "size-11.5 grid place-items-center flex-none rounded-full bg-accent-tint text-accent-ink",
            "font-display text-[1.375rem]/none font-[450] uppercase",
          )}
        >
          {account.username.charAt(0)}
        </span>
        <div className="min-w-0">
          <h2 className="title-3 truncate">{account.username}</h2>
          <p className="text-xs text-ink-3">Added {formatDate(account.created, timeZone)}</p>
        </div>
      </div>
      {account.status === "reconnect_needed" && (
        <Banner
          tone="low"
          action={
            <Button size="sm" onClick={onReconnect}>
              Reconnect<span className="sr-only"> {account.username}</span>
            </Button>
          }
        >
          Disconnected. Scheduled pins are on hold.
        </Banner>
      )}
      <dl
        className={cn(
          "grid grid-cols-2 gap-y-3.5 gap-x-4.5 py-4 border-y border-line",
          "[&_dt]:text-xs/[1.3] [&_dt]:text-ink-3",
          "[&_dd]:min-h-7 [&_dd]:font-display [&_dd]:text-[1.5rem]/[1.15] [&_dd]:font-[380]",
          "[&_dd]:tracking-[-0.02em] [&_dd]:lining-nums [&_dd]:tabular-nums",
        )}
        aria-busy={isLoading}
      >
        {FACTS.map(([key, label]) => (
          <div key={key}>
            <dt>{label}</dt>
            <dd>{isLoading ? <Skeleton className="mt-1.5 h-4 w-16" /> : countText(account[key])}</dd>
          </div>
        ))}
      </dl>
      <div className="flex items-center justify-between gap-3">
        <a
          className={buttonClass({ size: "sm" })}
          href={account.profile_url}
          target="_blank"
          rel="noreferrer"
          aria-label={`View Profile: ${account.username} on Pinterest`}
        >
          View Profile
          <ExternalLink aria-hidden="true" />
        </a>
        <Button variant="danger-quiet" size="sm" onClick={onRemove} aria-label={`Remove ${account.username}`}>
          Remove
        </Button>
      </div>
    </li>
  );
}

/** Parses the saved query, which is untrusted. */
const parseKeywords = (saved: string): string[] =>
  keywordsOf({ keyword: new URLSearchParams(saved).getAll("keyword") }, { count: KEYWORDS_MAX, length: KEYWORD_MAX });

type PendingKeywordsProps = { isConnected: boolean; creatorPath: string };

/** Keywords saved from a video until an account is connected. Client-side only, so it renders last to avoid layout shifts. */
function PendingKeywords({ isConnected, creatorPath }: PendingKeywordsProps) {
  const saved = useSyncExternalStore(noSubscription, readSavedKeywords, () => null);
  const [isDiscarded, setDiscarded] = useState(false);
  const keywords = saved === null || isDiscarded ? [] : parseKeywords(saved);
  if (keywords.length === 0) return null;
  const discard = () => {
    deleteSavedKeywords();
    setDiscarded(true);
  };
  const list = keywords.map((word) => `“${word}”`).join(", ");
  return (
    <Banner
      action={
        <div className="flex flex-wrap gap-2">
          <Button size="sm" variant="quiet" onClick={discard}>
            Discard
          </Button>
          {isConnected && (
            <LinkButton size="sm" href={creatorUrl(creatorPath, keywords)} onClick={deleteSavedKeywords}>
              Use these keywords
            </LinkButton>
          )}
        </div>
      }
    >
      {isConnected ? "Your saved keywords are ready:" : "Connect an account to use your saved keywords:"} {list}
    </Banner>
  );
}

const PATH = "/api/users/pinterest/accounts/";

type AccountsScreenProps = {
  /** Accounts without live counts, which are loaded separately. */
  initial: AccountWire[];
  plan: PlanSlug;
  timeZone: string;
  creatorPath: string;
  /** Shown above the accounts. */
  children?: ReactNode;
};

/** The Pinterest Accounts screen. */
export function AccountsScreen({ initial, plan, timeZone: painted, creatorPath, children }: AccountsScreenProps) {
  const timeZone = useTimeZone(painted);
  useConnectionNotice();
  const notice = useNotice();
  const { data, error, isLoading, reload } = useApiQuery(queryKeys.accounts, (signal) =>
    api.get<AccountWire[]>(PATH, signal),
  );
  const { isBusy, refusal, connect } = useConnect();
  const { isSessionFailure } = useSessionEnd();
  const [accountToRemove, setAccountToRemove] = useState<AccountWire | null>(null);
  const [isRemoving, setIsRemoving] = useState(false);
  const accounts = data ?? initial;
  const overLimit = overLimitText(plan, accounts.length);

  const remove = async () => {
    if (!accountToRemove) return;
    setIsRemoving(true);
    try {
      await api.put(PATH, { accountId: accountToRemove.id });
      notice.success(TEXTS.removed);
      reload();
    } catch (failure) {
      if (isSessionFailure(failure)) return;
      notice.error(describeFailure(failure, "We couldn't remove the account. Please try again."));
    } finally {
      setIsRemoving(false);
      setAccountToRemove(null);
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
      <PageHeader title="Pinterest Accounts" action={accounts.length > 0 && connectButton}>
        Pins are published to these accounts only when you schedule them.
      </PageHeader>
      {children}
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
                View plans
              </LinkButton>
            }
          >
            {overLimit}
          </Banner>
        )}
        {error !== null && <LoadFailed onRetry={reload}>{TEXTS.loadFailed}</LoadFailed>}
        {accounts.length > 0 ? (
          <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,330px),1fr))] gap-5">
            {accounts.map((account) => (
              <AccountCard
                key={account.id}
                account={account}
                isLoading={isLoading && data === null}
                timeZone={timeZone}
                onRemove={() => setAccountToRemove(account)}
                onReconnect={() => connect(account.id)}
              />
            ))}
          </ul>
        ) : (
          <EmptyState title="No accounts connected yet" action={connectButton}>
            Connect the Pinterest account you want to publish to. Nothing goes out without your approval.
          </EmptyState>
        )}
        <PendingKeywords
          isConnected={accounts.some(({ status }) => status === "connected")}
          creatorPath={creatorPath}
        />
      </div>
      <ConfirmDialog
        isOpen={accountToRemove !== null}
        question={TEXTS.confirmRemove}
        declineLabel="Keep it"
        confirmLabel="Remove"
        isDangerous
        isBusy={isRemoving}
        onDecline={() => setAccountToRemove(null)}
        onConfirm={remove}
      >
        Scheduled pins for {accountToRemove?.username ?? "this account"} will go back to drafts. Published pins stay on
        Pinterest.
      </ConfirmDialog>
    </>
  );
}
