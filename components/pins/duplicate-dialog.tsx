"use client";

import { type FormEvent, useRef, useState } from "react";
import { BoardsAgain, boardLabel, useBoards } from "#components/accounts/boards.tsx";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { SearchBox } from "#components/ui/search-box.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import type { BoardWire } from "#lib/features/accounts/schema.ts";
import { COPIES_MAX, TEXTS } from "#lib/features/pins/constants.ts";
import type { PostWire } from "#lib/features/pins/schema.ts";

/** From so many boards on there is a field to find them by. */
const MANY_BOARDS = 9;

const counted = (count: number, word: string): string => `${count} ${count === 1 ? word : `${word}s`}`;

type BoardListProps = {
  boards: readonly BoardWire[];
  chosen: ReadonlySet<string>;
  /** The board that all of the pins are on; null when they are on several. */
  currentId: string | null;
  onToggle: (boardId: string) => void;
};

/** The boards as checkboxes; what is chosen stays chosen while it is not shown. */
function BoardList({ boards, chosen, currentId, onToggle }: BoardListProps) {
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const shown = boards.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <div className="grid gap-3">
      {boards.length >= MANY_BOARDS && (
        <SearchBox label="Find a board" placeholder="Find a board" value={text} onChange={setText} />
      )}
      <fieldset
        className={cn(
          "grid gap-0.5 max-h-[min(320px,40dvh)] py-1.5 px-3 rounded-[10px] bg-well",
          "shadow-[inset_0_0_0_1px_var(--line)] overflow-y-auto [&>label]:min-h-9 max-md:[&>label]:min-h-11",
        )}
      >
        <legend className="sr-only">Boards</legend>
        {shown.map((board) => (
          <Checkbox
            key={board.id}
            label={board.id === currentId ? `${boardLabel(board)}, where it is now` : boardLabel(board)}
            checked={chosen.has(board.id)}
            onChange={() => onToggle(board.id)}
          />
        ))}
        {shown.length === 0 && <p className="text-sm text-ink-3">No board has this in its name.</p>}
      </fieldset>
    </div>
  );
}

export type DuplicateProps = {
  posts: readonly PostWire[];
  isBusy: boolean;
  /** @returns whether the copies were made. */
  onDuplicate: (pinIds: string[], boardIds: string[]) => Promise<boolean>;
  onClose: () => void;
};

function DuplicateForm({ posts, isBusy, onDuplicate, onClose }: DuplicateProps) {
  const boards = useBoards(posts[0]?.account_id ?? null);
  const { items, problem, emptyText } = boards;
  const form = useRef<HTMLFormElement>(null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const on = new Set(posts.map(({ board_id }) => board_id));
  const [onlyId] = on;
  const count = posts.length * chosen.size;
  const isTooMuch = count > COPIES_MAX;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || count === 0 || isTooMuch) return;
    if (
      await onDuplicate(
        posts.map(({ id }) => id),
        [...chosen],
      )
    )
      onClose();
  };
  const toggle = (boardId: string) =>
    setChosen((before) => {
      const after = new Set(before);
      if (!after.delete(boardId)) after.add(boardId);
      return after;
    });

  return (
    <form ref={form} onSubmit={submit} className="mt-5 grid gap-3" aria-label="Duplicate to boards">
      {problem !== null && (
        <Banner
          tone="failed"
          isAnnounced
          action={<BoardsAgain boards={boards} focusAfter={() => form.current?.querySelector("input") ?? null} />}
        >
          {problem}
        </Banner>
      )}
      {!items && problem === null && <Skeleton className="h-40 w-full" />}
      {items?.length === 0 && <Banner>{emptyText}</Banner>}
      {items && items.length > 0 && (
        <BoardList
          boards={items}
          chosen={chosen}
          currentId={on.size === 1 ? (onlyId ?? null) : null}
          onToggle={toggle}
        />
      )}
      <p role="status" className={isTooMuch ? "text-xs/[1.45] font-medium text-failed-ink" : "num text-sm text-ink-3"}>
        {isTooMuch
          ? TEXTS.tooManyCopies
          : `${counted(posts.length, "pin")} on ${counted(chosen.size, "board")}: ${counted(count, "new draft")}, for no credits.`}
      </p>
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" isBusy={isBusy} disabled={(count === 0 || isTooMuch) && !isBusy}>
          {count === 0 ? "Make drafts" : `Make ${counted(count, "draft")}`}
        </Button>
      </DialogActions>
    </form>
  );
}

type DuplicateDialogProps = DuplicateProps & { isOpen: boolean; focusAfter?: () => HTMLElement | null };

/** Makes drafts of one pin or many for other boards; the pins stay as they are. */
export function DuplicateDialog({ isOpen, focusAfter, ...form }: DuplicateDialogProps) {
  const { posts, onClose } = form;
  return (
    <Dialog
      isOpen={isOpen && posts.length > 0}
      onClose={onClose}
      title={posts.length === 1 ? "Duplicate this pin" : `Duplicate ${posts.length} pins`}
      description="The same picture and words, as drafts for other boards."
      focusAfter={focusAfter}
      hasCloseButton
    >
      <DuplicateForm {...form} />
    </Dialog>
  );
}
