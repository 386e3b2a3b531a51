"use client";

import { useEffect } from "react";
import { boardLabel, useBoards } from "#components/accounts/use-boards.ts";
import { SelectField } from "#components/ui/select-field.tsx";

type BoardChoiceProps = { accountId: string | null; value: string | null; onChange: (boardId: string | null) => void };

/** Chooses one of the account's boards, read live from Pinterest. */
export function BoardChoice({ accountId, value, onChange }: BoardChoiceProps) {
  const { items, isLoading, emptyText, problem } = useBoards(accountId);
  useEffect(() => {
    if (items && value !== null && !items.some(({ id }) => id === value)) onChange(null);
  }, [items, value, onChange]);
  return (
    <SelectField
      label="Board"
      value={value ?? ""}
      disabled={!items || items.length === 0}
      aria-busy={isLoading}
      error={problem ?? undefined}
      onChange={(event) => onChange(event.target.value || null)}
    >
      <option value="">{emptyText}</option>
      {items?.map((board) => (
        <option key={board.id} value={board.id}>
          {boardLabel(board)}
        </option>
      ))}
    </SelectField>
  );
}
