"use client";

import Lock from "lucide-react/icons/lock";
import { useState } from "react";
import { EmptyState } from "#components/shared/empty-state.tsx";
import { PageHead } from "#components/shared/page-head.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Chip } from "#components/ui/chip.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { api } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { TEXTS } from "#lib/features/accounts/constants.ts";
import type { BoardsWire, BoardWire } from "#lib/features/accounts/schema.ts";
import { AccountChoice, type AccountOption, NoAccount } from "./account-choice.tsx";

const WAITING = ["a", "b", "c", "d", "e"];

/** The provider's word in plain case: 'Public', 'Secret'. */
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
    <div className="card overflow-hidden" aria-busy={boards === null}>
      <table className="board-table">
        <caption className="sr-only">{boards ? `${boards.length} boards` : "Boards are loading"}</caption>
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

/** Board Manager (R-BRD-01 to R-BRD-06): choose an account, read its boards live. */
export function BoardsScreen({ accounts }: { accounts: AccountOption[] }) {
  const [accountId, setAccountId] = useState(accounts[0]?.id ?? null);
  const { data, error, isLoading, reload } = useApiQuery(accountId ? queryKeys.boards(accountId) : null, (signal) =>
    api.get<BoardsWire>(`/api/users/pinterest/boards/${accountId}/`, signal),
  );
  const boards = data?.items ?? null;
  return (
    <>
      <PageHead
        title="Board Manager"
        action={<AccountChoice accounts={accounts} value={accountId} onChange={setAccountId} isLabelHidden />}
      >
        Your boards as Pinterest shows them now. {boards && <span className="num">{boards.length} in all.</span>}
      </PageHead>
      {accounts.length === 0 && <NoAccount>Boards appear here as soon as a Pinterest account is connected.</NoAccount>}
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
          {TEXTS.boardsFailed}
        </Banner>
      )}
      {accountId && error === null && (isLoading || (boards && boards.length > 0)) && <BoardTable boards={boards} />}
      {boards?.length === 0 && (
        <EmptyState title={TEXTS.noBoards}>Make a board at Pinterest, then reload this page.</EmptyState>
      )}
    </>
  );
}
