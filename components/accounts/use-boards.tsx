"use client";

import { useLayoutEffect, useMemo, useRef } from "react";
import { Button } from "#components/ui/button.tsx";
import { useStableCallback } from "#components/ui/use-stable-callback.ts";
import { ApiError, api } from "#lib/client/api.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { useApiQuery } from "#lib/client/use-api-query.ts";
import { TEXTS } from "#lib/features/accounts/constants.ts";
import type { BoardsWire, BoardWire } from "#lib/features/accounts/schema.ts";

/** Live boards of an account, and the placeholder of a board select. */
export interface Boards {
  accountId: string | null;
  items: readonly BoardWire[] | null;
  isLoading: boolean;
  emptyText: string;
  /** Error text, or null. */
  problem: string | null;
  reload: () => void;
}

const textOf = (accountId: string | null, isLoading: boolean, count: number | undefined): string => {
  if (!accountId) return "Choose an account first";
  if (isLoading) return "Loading boards";
  return count === 0 ? TEXTS.noBoards : "Choose a board";
};

/** HTTP status for an account that must be reconnected. */
const RECONNECT_NEEDED = 409;

const problemOf = (error: unknown): string | null => {
  if (error === null) return null;
  return error instanceof ApiError && error.status === RECONNECT_NEEDED ? error.message : TEXTS.boardsFailed;
};

/** Reads the boards of an account. */
export const useBoards = (accountId: string | null): Boards => {
  const { data, error, isLoading, reload } = useApiQuery(accountId ? queryKeys.boards(accountId) : null, (signal) =>
    api.get<BoardsWire>(`/api/users/pinterest/boards/${accountId}/`, signal),
  );
  const items = data?.items ?? null;
  const emptyText = textOf(accountId, isLoading, items?.length);
  const problem = problemOf(error);
  // A stable object, since forms pass it to many rows.
  return useMemo(
    () => ({ accountId, items, isLoading, emptyText, problem, reload }),
    [accountId, items, isLoading, emptyText, problem, reload],
  );
};

/** A board's name in selects, with its privacy if not public. */
export const boardLabel = ({ name, privacy }: BoardWire): string =>
  privacy === "PUBLIC" ? name : `${name} (${privacy.toLowerCase()})`;

/** A board's name, unless the board was deleted or Pinterest does not respond. */
export const boardNameOf = ({ items, isLoading }: Boards, boardId: string): string => {
  if (isLoading) return "Loading";
  if (!items) return "Not available right now";
  return items.find(({ id }) => id === boardId)?.name ?? "Deleted board";
};

type RetryBoardsProps = {
  boards: Boards;
  /** Receives the focus when the button disappears. */
  focusAfter: () => HTMLElement | null;
};

function RetryButton({ boards, focusAfter }: RetryBoardsProps) {
  const button = useRef<HTMLButtonElement>(null);
  const focusNext = useStableCallback(() => focusAfter()?.focus());
  useLayoutEffect(() => {
    const { current } = button;
    return () => {
      // Wait until the new content is rendered.
      if (current === document.activeElement) queueMicrotask(focusNext);
    };
  }, [focusNext]);
  return (
    <Button ref={button} size="sm" className="justify-self-start" onClick={boards.reload}>
      Try again
    </Button>
  );
}

/** A retry button, shown only when loading the boards failed. */
export function RetryBoards(props: RetryBoardsProps) {
  return props.boards.problem === null ? null : <RetryButton {...props} />;
}
