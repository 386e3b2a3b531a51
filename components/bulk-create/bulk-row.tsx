import ArrowDownToLine from "lucide-react/icons/arrow-down-to-line";
import ImagePlus from "lucide-react/icons/image-plus";
import Lock from "lucide-react/icons/lock";
import LockOpen from "lucide-react/icons/lock-open";
import X from "lucide-react/icons/x";
import { type KeyboardEvent, memo, type ReactNode, useId } from "react";
import { type Boards, boardLabel } from "#components/accounts/boards.tsx";
import { PinFace, PinOutline } from "#components/shared/pin.tsx";
import { WORD_TARGET } from "#components/ui/button-style.ts";
import { cn } from "#components/ui/cn.ts";
import { FieldNote } from "#components/ui/field.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextAreaField } from "#components/ui/text-area-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { DESCRIPTION_MAX, LINK_MAX, TITLE_MAX } from "#lib/features/pins/constants.ts";
import type { BulkRow, RowPicture, RowProblems, RowText } from "./bulk-rows.ts";

/** Attribute by which the parts of a row know each other from row to row. */
const PART = "data-part";

const TEXT_PARTS: readonly string[] = ["title", "description", "url"] satisfies RowText[];

const isTextPart = (part: string): part is RowText => TEXT_PARTS.includes(part);

const focusSibling = (row: Element, part: string, way: "next" | "previous"): void => {
  const sibling = way === "next" ? row.nextElementSibling : row.previousElementSibling;
  const control = sibling?.querySelector(`[${PART}="${part}"]`);
  if (control instanceof HTMLElement) control.focus();
};

type Keys = { onSend: () => void; onFillDown: (rowKey: string, part: RowText) => void };

/** Keys of the whole form: Alt with an arrow goes to the same part of another row, Ctrl+D fills down, Ctrl+Enter sends. */
export const readFormKey = (event: KeyboardEvent, { onSend, onFillDown }: Keys): void => {
  const target = event.target;
  if (!(target instanceof HTMLElement) || event.nativeEvent.isComposing) return;
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && event.key === "Enter") {
    event.preventDefault();
    onSend();
    return;
  }
  const row = target.closest("[data-row]");
  const part = target.getAttribute(PART);
  if (!row || part === null) return;
  if (event.altKey && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    focusSibling(row, part, event.key === "ArrowDown" ? "next" : "previous");
  }
  if (isCommand && event.key.toLowerCase() === "d" && isTextPart(part)) {
    event.preventDefault();
    onFillDown(row.getAttribute("data-row") ?? "", part);
  }
};

/** What a file dialog offers first; what counts is what the file holds. */
export const ACCEPTED = "image/png,image/jpeg,image/gif,image/webp";

type RowPictureFieldProps = {
  number: number;
  picture: RowPicture | null;
  problem: string | undefined;
  /** While it is being sent. */
  percent: number | undefined;
  noteId: string;
  isDisabled: boolean;
  onFiles: (files: File[]) => void;
};

/** The image of a pin in its frame of 9:14, never cropped (R-BULK-07, A-15); the whole frame chooses another. */
function RowPictureField(props: RowPictureFieldProps) {
  const { number, picture, problem, percent, noteId, isDisabled, onFiles } = props;
  const note = problem ?? picture?.note;
  return (
    <div
      className={cn(
        "grid content-start gap-2.5 max-md:[grid-area:1_/_1_/_span_2]",
        "max-md:group-has-[[data-slot=bulk-fields]>p]/bulk-row:[grid-row-end:span_3]",
      )}
    >
      <span className="text-xs text-ink-3 max-md:absolute max-md:top-4 max-md:left-4 num" aria-hidden="true">
        Pin {number}
      </span>
      <label
        data-slot="bulk-frame"
        className={cn(
          "block cursor-pointer rounded-pin",
          "focus-within:outline-[2.5px] focus-within:outline-solid focus-within:outline-focus",
          "focus-within:outline-offset-3",
          problem && "[&_.pin-face]:border-2 [&_.pin-face]:border-failed",
        )}
      >
        <input
          type="file"
          aria-label={`Choose image of pin ${number}`}
          className="sr-only"
          accept={ACCEPTED}
          multiple
          disabled={isDisabled}
          aria-describedby={note ? noteId : undefined}
          aria-invalid={problem ? true : undefined}
          {...{ [PART]: "picture" }}
          onChange={(event) => {
            onFiles([...(event.target.files ?? [])]);
            // The same file may be chosen again after it was mended.
            event.target.value = "";
          }}
        />
        {picture && !picture.problem ? (
          <PinFace src={picture.preview} alt="" className="bg-well [&_img]:object-contain" />
        ) : (
          <PinOutline>
            <span className="font-sans text-xs/[1.4] font-medium not-italic grid justify-items-center gap-2">
              <ImagePlus aria-hidden="true" size={20} strokeWidth={1.7} />
              {picture ? picture.file.name : "Choose image"}
            </span>
          </PinOutline>
        )}
      </label>
      {percent !== undefined && (
        <span
          className={cn(
            "grid grid-cols-[minmax(0,1fr)_auto] gap-2 items-center text-xs text-ink-2",
            "[&_progress]:appearance-none [&_progress]:w-full [&_progress]:h-1.5 [&_progress]:rounded-[3px]",
            "[&_progress]:overflow-hidden [&_progress]:bg-well [&_progress]:border-0",
            "[&_progress]:[&::-webkit-progress-bar]:bg-well",
            "[&_progress]:[&::-webkit-progress-value]:bg-accent [&_progress]:[&::-moz-progress-bar]:bg-accent",
            "num",
          )}
        >
          <progress max={100} value={percent} aria-label={`Image of pin ${number}`} />
          {percent} %
        </span>
      )}
      {note && (
        <FieldNote id={noteId} isError={Boolean(problem)}>
          {note}
        </FieldNote>
      )}
    </div>
  );
}

/** What a row asks of its form; the same functions for all rows, so that typing in one draws no other anew. */
export interface RowActions {
  setText: (key: string, part: RowText, text: string) => void;
  setBoard: (key: string, boardId: string | null) => void;
  turnLock: (key: string) => void;
  fillDown: (key: string, part: RowText) => void;
  remove: (row: BulkRow) => void;
  addFiles: (files: File[], key: string) => void;
}

type BulkRowProps = {
  row: BulkRow;
  number: number;
  isLast: boolean;
  /** Where its pin goes: its own board or that of all. */
  boardId: string | null;
  boards: Boards;
  problems: RowProblems | undefined;
  percent: number | undefined;
  isDisabled: boolean;
  actions: RowActions;
};

/** A label that names its pin for those who hear one field at a time. */
function named(label: string, number: number): ReactNode {
  return (
    <>
      {label}
      <span className="sr-only"> of pin {number}</span>
    </>
  );
}

const PART_NAMES = { title: "Title", description: "Description", url: "Link" } as const satisfies Record<
  RowText,
  string
>;

type FillDownProps = Pick<BulkRowProps, "row" | "number" | "isDisabled" | "actions"> & { part: RowText };

/** Gives all rows below what this one says. */
function FillDown({ part, row, number, isDisabled, actions }: FillDownProps) {
  return (
    <button
      type="button"
      className={cn(
        WORD_TARGET,
        "inline-flex items-center gap-[5px] -my-0.5 text-xs text-ink-3 hover:text-ink",
        row[part] === "" && "invisible",
      )}
      disabled={isDisabled}
      onClick={() => actions.fillDown(row.key, part)}
      title="Ctrl+D"
    >
      <ArrowDownToLine aria-hidden="true" size={14} />
      Fill down
      <span className="sr-only">
        {" "}
        the {PART_NAMES[part].toLowerCase()} of pin {number}
      </span>
    </button>
  );
}

/** One pin to be: image, title, description, board, and a link if wanted (R-BULK-03, R-BULK-04). */
export const BulkRowFields = memo(function BulkRowFields(props: BulkRowProps) {
  const { row, number, isLast, boardId, boards, problems, percent, isDisabled, actions } = props;
  const id = useId();
  const text = (part: RowText) => ({
    label: named(PART_NAMES[part], number),
    value: row[part],
    disabled: isDisabled,
    error: problems?.[part],
    aside: !isLast && <FillDown part={part} row={row} number={number} isDisabled={isDisabled} actions={actions} />,
    [PART]: part,
  });
  return (
    <li
      className={cn(
        "group/bulk-row",
        "relative grid grid-cols-[132px_minmax(0,1fr)] gap-5.5 py-5.5 pr-16 pl-5.5 bg-surface",
        "rounded-card [content-visibility:auto] [contain-intrinsic-height:auto_330px] border border-line",
        "max-md:grid-cols-[84px_minmax(0,1fr)] max-md:gap-3.5 max-md:pt-12 max-md:pb-4 max-md:px-4",
      )}
      data-row={row.key}
      aria-label={`Pin ${number}`}
    >
      <RowPictureField
        number={number}
        picture={row.picture}
        problem={problems?.picture ?? row.picture?.problem ?? undefined}
        percent={percent}
        noteId={`${id}-picture`}
        isDisabled={isDisabled}
        onFiles={(files) => actions.addFiles(files, row.key)}
      />
      <div
        data-slot="bulk-fields"
        className="grid grid-cols-1 content-start gap-3.5 max-md:contents max-md:[&>:not([data-slot=bulk-pair])]:col-start-2 [&_[data-slot=label]]:leading-[24px]"
      >
        {problems?.row && (
          <FieldNote isError tabIndex={-1} data-fault>
            {problems.row}
          </FieldNote>
        )}
        <TextField
          {...text("title")}
          maxLength={TITLE_MAX}
          onChange={(event) => actions.setText(row.key, "title", event.target.value)}
        />
        <TextAreaField
          {...text("description")}
          rows={3}
          maxLength={DESCRIPTION_MAX}
          onChange={(event) => actions.setText(row.key, "description", event.target.value)}
        />
        <div
          data-slot="bulk-pair"
          className="grid grid-cols-2 items-start gap-4 max-[64rem]:grid-cols-1 max-md:col-span-full"
        >
          <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-2">
            <SelectField
              label={named("Board", number)}
              value={boardId ?? ""}
              disabled={isDisabled || !boards.items || boards.items.length === 0}
              aria-busy={boards.isLoading}
              error={boards.problem ?? problems?.board}
              hint={number === 1 && !isLast && "The board of all pins. The lock beside it gives a pin its own."}
              {...{ [PART]: "board" }}
              onChange={(event) => actions.setBoard(row.key, event.target.value || null)}
            >
              <option value="">{boards.emptyText}</option>
              {boards.items?.map((board) => (
                <option key={board.id} value={board.id}>
                  {boardLabel(board)}
                </option>
              ))}
            </SelectField>
            <IconButton
              label={`Its own board for pin ${number}`}
              aria-pressed={row.isUnlocked}
              className="mt-[calc(30px+(var(--h-control)-34px)/2)]"
              disabled={isDisabled}
              onClick={() => actions.turnLock(row.key)}
            >
              {row.isUnlocked ? <LockOpen aria-hidden="true" /> : <Lock aria-hidden="true" />}
            </IconButton>
          </div>
          <TextField
            {...text("url")}
            type="url"
            inputMode="url"
            placeholder="https:// (optional)"
            maxLength={LINK_MAX}
            onChange={(event) => actions.setText(row.key, "url", event.target.value)}
          />
        </div>
      </div>
      <div className="absolute top-3.5 right-3.5 max-md:top-2 max-md:right-2">
        <IconButton
          label={`Remove pin ${number}`}
          data-slot="bulk-remove"
          disabled={isDisabled}
          onClick={() => actions.remove(row)}
        >
          <X aria-hidden="true" />
        </IconButton>
      </div>
    </li>
  );
});
