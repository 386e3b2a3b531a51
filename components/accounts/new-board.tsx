"use client";

import { useQueryClient } from "@tanstack/react-query";
import Plus from "lucide-react/icons/plus";
import { type FormEvent, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { type ActionResult, callAction } from "#lib/client/api.ts";
import { setKnown } from "#lib/client/query-client.ts";
import { queryKeys } from "#lib/client/query-keys.ts";
import { createBoardAction } from "#lib/features/accounts/actions.ts";
import { BOARD_NAME_MAX, type BoardsWire, type BoardWire } from "#lib/features/accounts/schema.ts";
import type { Boards } from "./use-boards.tsx";

type NewBoardProps = {
  boards: Boards;
  /** Instead of the account's own action. */
  create?: (name: string) => Promise<ActionResult<BoardWire>>;
  /** Called with the new board, or with the existing one of that name. */
  onCreated?: (boardId: string) => void;
};

function NewBoardForm({ boards, create, onCreated, onClose }: NewBoardProps & { onClose: () => void }) {
  const { accountId, items } = boards;
  const client = useQueryClient();
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // The form around the chooser would be submitted as well.
    event.stopPropagation();
    if (isBusy || accountId === null) return;
    setBusy(true);
    const answer = await callAction(create ? create(name) : createBoardAction({ accountId, name }));
    setBusy(false);
    if (!answer.ok) return setProblem(answer.fields?.name?.[0] ?? answer.text);
    const board = answer.value;
    const others = (items ?? []).filter(({ id }) => id !== board.id);
    setKnown<BoardsWire>(client, queryKeys.boards(accountId), { items: [board, ...others] });
    onCreated?.(board.id);
    showToast(`“${board.name}” is ready`, { hasCheck: true });
    onClose();
  };
  return (
    <form
      onSubmit={submit}
      // Keys of the form around it, such as those that send it.
      onKeyDown={(event) => event.stopPropagation()}
      noValidate
      className="mt-5 grid gap-4"
      aria-label="New board"
    >
      <TextField
        label="Name"
        value={name}
        maxLength={BOARD_NAME_MAX}
        error={problem ?? undefined}
        onChange={({ target }) => {
          setProblem(null);
          setName(target.value);
        }}
      />
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" isBusy={isBusy}>
          Create board
        </Button>
      </DialogActions>
    </form>
  );
}

/** A button below a board chooser that creates a board on Pinterest; it is then in all choosers of the account. */
export function NewBoard(props: NewBoardProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  if (props.boards.accountId === null || props.boards.items === null) return null;
  return (
    <>
      <Button variant="quiet" size="sm" className="justify-self-start" onClick={() => setOpen(true)}>
        <Plus aria-hidden="true" />
        New board
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={close}
        title="New board"
        description="It's created on Pinterest right away, and everyone can see it."
        hasCloseButton
      >
        <NewBoardForm {...props} onClose={close} />
      </Dialog>
    </>
  );
}
