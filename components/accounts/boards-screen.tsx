"use client";

import Lock from "lucide-react/icons/lock";
import { useState } from "react";
import { EmptyState } from "#components/shared/empty-state.tsx";
import { LoadFailed } from "#components/shared/list-parts.tsx";
import { PageHeader } from "#components/shared/page-header.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { cn } from "#components/ui/cn.ts";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { api } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { TEXTS } from "#lib/features/accounts/constants.ts";
import type { BoardsWire, BoardWire } from "#lib/features/accounts/schema.ts";
import { AccountChoice, type AccountOption, NoAccount } from "./account-choice.tsx";

const WAITING = ["a", "b", "c", "d", "e"];

/** Pinterest's privacy value in sentence case: 'Public', 'Secret'. */
const privacyWord = (privacy: string): string => privacy.charAt(0).toUpperCase() + privacy.slice(1).toLowerCase();

function BoardRow({ board }: { board: BoardWire }) {
  const isOpen = board.privacy === "PUBLIC";
  return (
    <tr>
      <td>{board.name}</td>
      <td>{board.description}</td>
      <td>
        <Chip icon={isOpen ? undefined : <Lock role="img" aria-label="Not public" />}>
          {privacyWord(board.privacy)}
        </Chip>
      </td>
    </tr>
  );
}

function WaitingRow() {
  return (
    <tr>
      <td>
        <Skeleton className="h-4 w-36" />
      </td>
      <td>
        <Skeleton className="h-4 w-full max-w-72" />
      </td>
      <td>
        <Skeleton className="ml-auto h-6 w-16" />
      </td>
    </tr>
  );
}

function BoardTable({ boards }: { boards: BoardWire[] | null }) {
  return (
    <div className="rounded-card bg-surface shadow-card overflow-hidden" aria-busy={boards === null}>
      <table
        className={cn(
          "w-full border-collapse text-ui/[1.4]",
          "[&_th]:pt-3.5 [&_th]:pb-2.5 [&_th]:px-5.5 [&_th]:text-left [&_th]:text-xs [&_th]:font-medium",
          "[&_th]:text-ink-3 [&_td]:py-3.5 [&_td]:px-5.5 [&_td]:align-top [&_td]:border-t",
          "[&_td]:border-line",
          "[&_td:first-child]:font-display [&_td:first-child]:text-[1.0625rem]/[1.25]",
          "[&_td:first-child]:font-[450] [&_td:first-child]:tracking-[-0.012em]",
          "[&_td:first-child]:wrap-anywhere",
          "[&_td:nth-child(2)]:text-ink-2 [&_td:nth-child(2)]:max-w-[56ch]",
          "[&_td:nth-child(2)]:wrap-anywhere",
          "[&_:is(th,_td):last-child]:text-right [&_:is(th,_td):last-child]:whitespace-nowrap",
          "max-md:[&_thead]:hidden",
          "max-md:[&_tr]:grid max-md:[&_tr]:grid-cols-[minmax(0,1fr)_auto] max-md:[&_tr]:gap-y-0.5",
          "max-md:[&_tr]:gap-x-3 max-md:[&_tr]:py-3.5 max-md:[&_tr]:px-4.5 max-md:[&_tr]:border-t",
          "max-md:[&_tr]:border-line max-md:[&_tbody_tr:first-child]:border-t-0",
          "max-md:[&_td]:p-0 max-md:[&_td]:border-0",
          "max-md:[&_td:nth-child(2)]:row-start-2 max-md:[&_td:nth-child(2)]:col-span-full",
          "max-md:[&_td:nth-child(2)]:text-sm",
        )}
      >
        <caption className="sr-only">
          {boards ? `${boards.length} ${boards.length === 1 ? "board" : "boards"}` : "Loading boards"}
        </caption>
        <thead>
          <tr>
            <th scope="col">Board</th>
            <th scope="col">Description</th>
            <th scope="col">Privacy</th>
          </tr>
        </thead>
        <tbody>
          {boards
            ? boards.map((board) => <BoardRow key={board.id} board={board} />)
            : WAITING.map((row) => <WaitingRow key={row} />)}
        </tbody>
      </table>
    </div>
  );
}

/** The Board Manager: the live boards of an account. */
export function BoardsScreen({ accounts }: { accounts: AccountOption[] }) {
  const [accountId, setAccountId] = useState(accounts[0]?.id ?? null);
  const { data, error, isLoading, reload } = useApiQuery(accountId ? queryKeys.boards(accountId) : null, (signal) =>
    api.get<BoardsWire>(`/api/users/pinterest/boards/${accountId}/`, signal),
  );
  const boards = data?.items ?? null;
  return (
    <>
      <PageHeader
        title="Board Manager"
        action={<AccountChoice accounts={accounts} value={accountId} onChange={setAccountId} isLabelHidden />}
      >
        Your boards, live from Pinterest. {boards && <span className="num">{boards.length} total.</span>}
      </PageHeader>
      {accounts.length === 0 && <NoAccount>Connect a Pinterest account to see its boards here.</NoAccount>}
      {error !== null && <LoadFailed onRetry={reload}>{TEXTS.boardsFailed}</LoadFailed>}
      {accountId && error === null && (isLoading || (boards && boards.length > 0)) && <BoardTable boards={boards} />}
      {boards?.length === 0 && (
        <EmptyState title={TEXTS.noBoards}>Create a board on Pinterest, then reload this page.</EmptyState>
      )}
    </>
  );
}
