"use client";

import ExternalLink from "lucide-react/icons/external-link";
import Plus from "lucide-react/icons/plus";
import { useEffect, useState, useSyncExternalStore } from "react";
import { EmptyState } from "#components/shared/empty-state.tsx";
import { PageHead } from "#components/shared/page-head.tsx";
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
import { queryKeys } from "#lib/client/query-keys.ts";
import { forgetKeywords, keptKeywords } from "#lib/client/remembered.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { creatorAddress, keywordsOf } from "#lib/core/paths.ts";
import { formatDate } from "#lib/core/time.ts";
import { TEXTS } from "#lib/features/accounts/constants.ts";
import { connectionFailureText, overLimitText } from "#lib/features/accounts/policy.ts";
import type { AccountWire } from "#lib/features/accounts/schema.ts";
import type { PlanSlug } from "#lib/features/billing/plans.ts";
import { KEYWORD_MAX, KEYWORDS_MAX } from "#lib/features/generation/constants.ts";
import { useConnect } from "./use-connect.ts";

/** R-ACC-08, A-87: tells how the way through Pinterest's consent ended, then resets the address to `/app/`. */
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
  /** The live counts are still on their way. */
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

const shown = (count: number | null): string => (count === null ? "–" : count.toLocaleString("en-US"));

/** A connected account (R-ACC-02). Counts that Pinterest does not tell are a dash, not a zero. */
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
          The connection is lost. Scheduled pins wait.
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
            <dd>{isLoading ? <Skeleton className="mt-1.5 h-4 w-16" /> : shown(account[key])}</dd>
          </div>
        ))}
      </dl>
      <div className="flex items-center justify-between gap-3">
        <a
          className={buttonClass({ size: "sm" })}
          href={account.profile_url}
          target="_blank"
          rel="noreferrer"
          aria-label={`View Profile of ${account.username} on Pinterest`}
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

const nothingChanges = () => () => {};

/** The words of the kept query; whoever sits at this browser may have written it. */
const wordsOf = (kept: string): string[] =>
  keywordsOf({ keyword: new URLSearchParams(kept).getAll("keyword") }, { count: KEYWORDS_MAX, length: KEYWORD_MAX });

type WaitingKeywordsProps = { isConnected: boolean; creatorPath: string };

/**
 * Keywords of a saved video that wait until an account is there for their pins. Known to this tab alone, so it stands
 * below what the server painted and moves nothing.
 */
function WaitingKeywords({ isConnected, creatorPath }: WaitingKeywordsProps) {
  const kept = useSyncExternalStore(nothingChanges, keptKeywords, () => null);
  const [isGivenUp, setGivenUp] = useState(false);
  const words = kept === null || isGivenUp ? [] : wordsOf(kept);
  if (words.length === 0) return null;
  const giveUp = () => {
    forgetKeywords();
    setGivenUp(true);
  };
  const said = words.map((word) => `“${word}”`).join(", ");
  return (
    <Banner
      action={
        <div className="flex flex-wrap gap-2">
          <Button size="sm" variant="quiet" onClick={giveUp}>
            Forget them
          </Button>
          {isConnected && (
            <LinkButton size="sm" href={creatorAddress(creatorPath, words)} onClick={forgetKeywords}>
              Open the creator
            </LinkButton>
          )}
        </div>
      }
    >
      {isConnected ? "Your keywords are ready to become pins:" : "Your keywords wait until an account is connected:"}{" "}
      {said}
    </Banner>
  );
}

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
  const { data, error, isLoading, reload } = useApiQuery(queryKeys.accounts, (signal) =>
    api.get<AccountWire[]>(PATH, signal),
  );
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
          <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,330px),1fr))] gap-5">
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
