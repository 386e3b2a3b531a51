"use client";

import { useQuery } from "@tanstack/react-query";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { LinkButton } from "#components/ui/link-button.tsx";
import { actionValue } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { formatCount } from "#lib/core/text.ts";
import { findLostAccountsAction } from "#lib/features/publishing/actions.ts";
import type { LostAccountWire } from "#lib/features/publishing/schema.ts";
import { useConnect } from "./use-connect.ts";

/** The accounts that must be connected again: as painted, then read again whenever the live stream tells of one. */
const useLostAccounts = (initial: readonly LostAccountWire[]): readonly LostAccountWire[] =>
  // Without an answer what is shown stays: the next news, or the next page, asks again.
  useQuery({
    queryKey: queryKeys.lostAccounts,
    queryFn: () => actionValue(findLostAccountsAction({})),
    initialData: initial,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: false,
  }).data;

/** So many accounts are named one by one; more lead to the list of all. */
const NAMED_MAX = 2;

function waitingText(pins: number, whom: "it" | "them"): string {
  if (pins === 0) return `No pin is scheduled for ${whom}.`;
  return pins === 1 ? `1 scheduled pin waits for ${whom}.` : `${formatCount(pins)} scheduled pins wait for ${whom}.`;
}

type LostAccountProps = { account: LostAccountWire; isBusy: boolean; onReconnect: () => void };

function LostAccount({ account, isBusy, onReconnect }: LostAccountProps) {
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
      Pinterest asks you to connect <b className="font-semibold">{account.username}</b> again.{" "}
      {waitingText(account.waiting_pins, "it")}
    </Banner>
  );
}

/**
 * On every screen, while an account has lost its connection: how many scheduled pins wait for it, and the way to
 * connect it again (R-SRV-05). Comes and goes with the live stream.
 */
export function LostAccounts({ initial }: { initial: readonly LostAccountWire[] }) {
  const accounts = useLostAccounts(initial);
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
              See accounts
            </LinkButton>
          }
        >
          Pinterest asks you to connect {accounts.length} accounts again. {waitingText(waiting, "them")}
        </Banner>
      ) : (
        accounts.map((account) => (
          <LostAccount key={account.id} account={account} isBusy={isBusy} onReconnect={() => connect(account.id)} />
        ))
      )}
    </div>
  );
}
