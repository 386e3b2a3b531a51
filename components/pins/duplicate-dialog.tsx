"use client";

import { type FormEvent, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { NewPlace } from "#components/accounts/new-place.tsx";
import { boardLabel, RetryBoards, useBoards } from "#components/accounts/use-boards.tsx";
import { useCopySpacing } from "#components/planning/use-copy-spacing.ts";
import { Banner } from "#components/ui/banner.tsx";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { SearchBox } from "#components/ui/search-box.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { countOf } from "#lib/core/text.ts";
import type { BoardWire } from "#lib/features/accounts/schema.ts";
import { COPIES_MAX, TEXTS } from "#lib/features/pins/constants.ts";
import type { PinWire } from "#lib/features/pins/schema.ts";

/** From this many boards on, a search field appears. */
const MANY_BOARDS = 9;

type BoardListProps = {
  boards: readonly BoardWire[];
  chosen: ReadonlySet<string>;
  /** The board of all pins; null when they are on several. */
  currentId: string | null;
  onToggle: (boardId: string) => void;
};

/** Boards as checkboxes; boards hidden by the search stay selected. */
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
            label={board.id === currentId ? `${boardLabel(board)} (current board)` : boardLabel(board)}
            checked={chosen.has(board.id)}
            onChange={() => onToggle(board.id)}
          />
        ))}
        {shown.length === 0 && <p className="text-sm text-ink-3">No boards match.</p>}
      </fieldset>
    </div>
  );
}

type DuplicateProps = {
  pins: readonly PinWire[];
  isBusy: boolean;
  /** @returns the ids of the copies; null when none were created. */
  onDuplicate: (pinIds: string[], boardIds: string[]) => Promise<string[] | null>;
  /** Continues with the copies at their account's safe pace. */
  onPlan: (accountId: string, copyIds: readonly string[]) => void;
  onClose: () => void;
};

function DuplicateForm({ pins, isBusy, onDuplicate, onPlan, onClose }: DuplicateProps) {
  const accountId = pins[0]?.account_id ?? null;
  const boards = useBoards(accountId);
  const spacing = useCopySpacing(accountId);
  const { items, problem, emptyText } = boards;
  const form = useRef<HTMLFormElement>(null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isPlanned, setPlanned] = useState(false);
  const on = new Set(pins.map(({ board_id }) => board_id));
  const [onlyId] = on;
  const count = pins.length * chosen.size;
  const isTooMuch = count > COPIES_MAX;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || count === 0 || isTooMuch) return;
    const copyIds = await onDuplicate(
      pins.map(({ id }) => id),
      [...chosen],
    );
    if (!copyIds) return;
    flushSync(onClose);
    if (isPlanned && accountId) onPlan(accountId, copyIds);
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
          action={<RetryBoards boards={boards} focusAfter={() => form.current?.querySelector("input") ?? null} />}
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
      <NewPlace
        boards={boards}
        boardId={null}
        onBoard={(boardId) => setChosen((before) => new Set([...before, boardId]))}
      />
      <Checkbox
        isTopAligned
        label={
          <span>
            Next, schedule the copies at a safe pace
            {spacing && <span className="num mt-1 block text-xs/[1.45] text-pretty text-ink-3">{spacing}</span>}
          </span>
        }
        checked={isPlanned}
        onChange={() => setPlanned(!isPlanned)}
      />
      <p role="status" className={isTooMuch ? "text-xs/[1.45] font-medium text-failed-ink" : "num text-sm text-ink-3"}>
        {isTooMuch
          ? TEXTS.tooManyCopies
          : `${countOf(pins.length, "pin")} × ${countOf(chosen.size, "board")} = ${countOf(count, "new draft")}. No credits needed.`}
      </p>
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" isBusy={isBusy} disabled={(count === 0 || isTooMuch) && !isBusy}>
          {count === 0 ? "Create drafts" : `Create ${countOf(count, "draft")}`}
        </Button>
      </DialogActions>
    </form>
  );
}

type DuplicateDialogProps = DuplicateProps & { isOpen: boolean; focusAfter?: () => HTMLElement | null };

/** Copies pins as drafts to other boards. */
export function DuplicateDialog({ isOpen, focusAfter, ...form }: DuplicateDialogProps) {
  const { pins, onClose } = form;
  return (
    <Dialog
      isOpen={isOpen && pins.length > 0}
      onClose={onClose}
      title={pins.length === 1 ? "Duplicate this pin" : `Duplicate ${pins.length} pins`}
      description="Creates drafts with the same image and text for other boards."
      focusAfter={focusAfter}
      hasCloseButton
    >
      <DuplicateForm {...form} />
    </Dialog>
  );
}
