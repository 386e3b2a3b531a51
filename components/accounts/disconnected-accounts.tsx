"use client";

import { useQuery } from "@tanstack/react-query";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { actionValue } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { formatCount } from "#lib/core/text.ts";
import { findDisconnectedAccountsAction } from "#lib/features/publishing/actions.ts";
import type { DisconnectedAccountWire } from "#lib/features/publishing/schema.ts";
import { useConnect } from "./use-connect.ts";

/** Accounts that must be reconnected: server-rendered, then refreshed by live events. */
const useDisconnectedAccounts = (initial: readonly DisconnectedAccountWire[]): readonly DisconnectedAccountWire[] =>
  // On failure the current list stays until the next event or page load.
  useQuery({
    queryKey: queryKeys.disconnectedAccounts,
    queryFn: () => actionValue(findDisconnectedAccountsAction({})),
    initialData: initial,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: false,
  }).data;

/** Up to this many accounts are listed individually. */
const NAMED_MAX = 2;

function waitingText(pins: number, whom: "it" | "them"): string {
  if (pins === 0) return `No pins are scheduled for ${whom}.`;
  return pins === 1 ? `1 scheduled pin is on hold.` : `${formatCount(pins)} scheduled pins are on hold.`;
}

type DisconnectedAccountProps = { account: DisconnectedAccountWire; isBusy: boolean; onReconnect: () => void };

function DisconnectedAccount({ account, isBusy, onReconnect }: DisconnectedAccountProps) {
  return (
    <Banner
      tone="low"
      className={cn(
        "items-center max-[40.0625rem]:flex-wrap",
        "max-[40.0625rem]:[&>:last-child]:min-h-11 max-[40.0625rem]:[&>:last-child]:ml-[27px]",
      )}
      action={
        <Button size="sm" isBusy={isBusy} onClick={onReconnect}>
          Reconnect<span className="sr-only"> {account.username}</span>
        </Button>
      }
    >
      Please reconnect <b className="font-semibold">{account.username}</b> to Pinterest.{" "}
      {waitingText(account.waiting_pins, "it")}
    </Banner>
  );
}

/** A banner on every screen while accounts must be reconnected, updated by live events. */
export function DisconnectedAccounts({ initial }: { initial: readonly DisconnectedAccountWire[] }) {
  const accounts = useDisconnectedAccounts(initial);
  const { isBusy, refusal, connect } = useConnect();
  const waiting = accounts.reduce((sum, { waiting_pins }) => sum + waiting_pins, 0);
  return (
    <div role="status" className="grid gap-2.5 not-empty:mb-6">
      {refusal && <Banner tone="failed">{refusal}</Banner>}
      {accounts.length > NAMED_MAX ? (
        <Banner
          tone="low"
          className={cn(
            "items-center max-[40.0625rem]:flex-wrap",
            "max-[40.0625rem]:[&>:last-child]:min-h-11 max-[40.0625rem]:[&>:last-child]:ml-[27px]",
          )}
          action={
            <LinkButton size="sm" href="/app">
              View accounts
            </LinkButton>
          }
        >
          Please reconnect {accounts.length} accounts to Pinterest. {waitingText(waiting, "them")}
        </Banner>
      ) : (
        accounts.map((account) => (
          <DisconnectedAccount
            key={account.id}
            account={account}
            isBusy={isBusy}
            onReconnect={() => connect(account.id)}
          />
        ))
      )}
    </div>
  );
}
