"use client";

import { useEffect } from "react";
import { useScreenCall } from "#components/identity/use-screen-call.ts";
import { SelectField } from "#components/ui/select-field.tsx";
import { api } from "#lib/client/api.ts";
import { TEXTS } from "#lib/features/accounts/constants.ts";
import type { BoardsWire } from "#lib/features/accounts/schema.ts";

type BoardChoiceProps = { accountId: string | null; value: string | null; onChange: (boardId: string | null) => void };

const optionsText = (accountId: string | null, isLoading: boolean, count: number | undefined): string => {
  if (!accountId) return "Choose an account first";
  if (isLoading) return "Loading boards";
  return count === 0 ? TEXTS.noBoards : "Choose a board";
};

/** Chooses one of the account's boards, read live from Pinterest. */
export function BoardChoice({ accountId, value, onChange }: BoardChoiceProps) {
  const { data, error, isLoading } = useScreenCall(accountId, (signal) =>
    api.get<BoardsWire>(`/api/users/pinterest/boards/${accountId}/`, signal),
  );
  const boards = data?.items;
  useEffect(() => {
    if (boards && value !== null && !boards.some(({ id }) => id === value)) onChange(null);
  }, [boards, value, onChange]);
  return (
    <SelectField
      label="Board"
      value={value ?? ""}
      disabled={!boards || boards.length === 0}
      aria-busy={isLoading}
      error={error === null ? undefined : TEXTS.boardsFailed}
      onChange={(event) => onChange(event.target.value || null)}
    >
      <option value="">{optionsText(accountId, isLoading, boards?.length)}</option>
      {boards?.map((board) => (
        <option key={board.id} value={board.id}>
          {board.privacy === "PUBLIC" ? board.name : `${board.name} (${board.privacy.toLowerCase()})`}
        </option>
      ))}
    </SelectField>
  );
}
