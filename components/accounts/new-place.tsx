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
import { createBoardAction, createSectionAction } from "#lib/features/accounts/actions.ts";
import {
  BOARD_NAME_MAX,
  type BoardsWire,
  type BoardWire,
  SECTION_NAME_MAX,
  type SectionsWire,
} from "#lib/features/accounts/schema.ts";
import { useSections } from "./section-field.tsx";
import type { Boards } from "./use-boards.tsx";

type Named = { id: string; name: string };

type NewNameProps<T extends Named> = {
  what: "board" | "section";
  maxLength: number;
  description: string;
  create: (name: string) => Promise<ActionResult<T>>;
  onCreated: (created: T) => void;
};

function NewNameForm<T extends Named>(props: NewNameProps<T> & { onClose: () => void }) {
  const { what, maxLength, create, onCreated, onClose } = props;
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // The form around the chooser would be submitted as well.
    event.stopPropagation();
    if (isBusy) return;
    setBusy(true);
    const answer = await create(name);
    setBusy(false);
    if (!answer.ok) return setProblem(answer.fields?.name?.[0] ?? answer.text);
    onCreated(answer.value);
    showToast(`“${answer.value.name}” is ready`, { hasCheck: true });
    onClose();
  };
  return (
    <form
      onSubmit={submit}
      // Keys of the form around it, such as those that send it.
      onKeyDown={(event) => event.stopPropagation()}
      noValidate
      className="mt-5 grid gap-4"
      aria-label={`New ${what}`}
    >
      <TextField
        label="Name"
        value={name}
        maxLength={maxLength}
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
          Create {what}
        </Button>
      </DialogActions>
    </form>
  );
}

/** A button, and the dialog that asks for a name. */
function NewName<T extends Named>(props: NewNameProps<T>) {
  const { what, description } = props;
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button variant="quiet" size="sm" className="justify-self-start" onClick={() => setOpen(true)}>
        <Plus aria-hidden="true" />
        New {what}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={`New ${what}`} description={description} hasCloseButton>
        <NewNameForm {...props} onClose={close} />
      </Dialog>
    </>
  );
}

/** The list with this item first, which may be in it already. */
const withFirst = <T extends Named>(items: readonly T[], item: T): T[] => [
  item,
  ...items.filter(({ id }) => id !== item.id),
];

type NewBoardProps = {
  boards: Boards;
  /** Instead of the account's own action. */
  create?: (name: string) => Promise<ActionResult<BoardWire>>;
  /** Called with the new board, or with the existing one of that name. */
  onCreated?: (boardId: string) => void;
};

/** A button below a board chooser that creates a board on Pinterest; it is then in all choosers of the account. */
function NewBoard({ boards, create, onCreated }: NewBoardProps) {
  const client = useQueryClient();
  const { accountId, items } = boards;
  if (accountId === null || items === null) return null;
  return (
    <NewName
      what="board"
      maxLength={BOARD_NAME_MAX}
      description="It's created on Pinterest right away, and everyone can see it."
      create={(name) => callAction(create ? create(name) : createBoardAction({ accountId, name }))}
      onCreated={(board) => {
        setKnown<BoardsWire>(client, queryKeys.boards(accountId), { items: withFirst(items, board) });
        onCreated?.(board.id);
      }}
    />
  );
}

type NewSectionProps = {
  boards: Boards;
  /** The chosen board; without one there is no button. */
  boardId: string | null;
  /** Called with the new section, or with the existing one of that name. */
  onCreated?: (sectionId: string) => void;
};

/** Creates a section of the chosen board on Pinterest; it is then in all choosers of the board. */
function NewSection({ boards, boardId, onCreated }: NewSectionProps) {
  const client = useQueryClient();
  const { accountId, items } = boards;
  const board = items?.find(({ id }) => id === boardId);
  const known = useSections(accountId, board?.id ?? null).items;
  if (accountId === null || !board || known === null) return null;
  const key = queryKeys.sections(accountId, board.id);
  return (
    <NewName
      what="section"
      maxLength={SECTION_NAME_MAX}
      description={`It's created on Pinterest right away, in your board “${board.name}”.`}
      create={(name) => callAction(createSectionAction({ accountId, boardId: board.id, name }))}
      onCreated={(section) => {
        setKnown<SectionsWire>(client, key, { items: withFirst(known, section) });
        onCreated?.(section.id);
      }}
    />
  );
}

type NewPlaceProps = Pick<NewBoardProps, "boards" | "create"> & {
  /** The chosen board, which gets new sections. */
  boardId: string | null;
  onBoard?: ((boardId: string) => void) | undefined;
  onSection?: ((sectionId: string) => void) | undefined;
};

/** Buttons below a board chooser, for a new board, and a new section of the chosen one. */
export function NewPlace({ boards, create, boardId, onBoard, onSection }: NewPlaceProps) {
  return (
    <div className="flex flex-wrap gap-2">
      <NewBoard boards={boards} {...(create && { create })} {...(onBoard && { onCreated: onBoard })} />
      <NewSection boards={boards} boardId={boardId} {...(onSection && { onCreated: onSection })} />
    </div>
  );
}
