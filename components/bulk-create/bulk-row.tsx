import ArrowDownToLine from "lucide-react/icons/arrow-down-to-line";
import ImagePlus from "lucide-react/icons/image-plus";
import Lock from "lucide-react/icons/lock";
import LockOpen from "lucide-react/icons/lock-open";
import X from "lucide-react/icons/x";
import { type KeyboardEvent, memo, type ReactNode, useId } from "react";
import { NewPlace } from "#components/accounts/new-place.tsx";
import { SectionField } from "#components/accounts/section-field.tsx";
import { type Boards, boardLabel } from "#components/accounts/use-boards.tsx";
import { PinFace, PinOutline } from "#components/shared/pin.tsx";
import { WORD_TARGET } from "#components/ui/button-style.ts";
import { cn } from "#components/ui/cn.ts";
import { FieldNote } from "#components/ui/field.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextAreaField } from "#components/ui/text-area-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { DESCRIPTION_MAX, LINK_MAX, TITLE_MAX } from "#lib/features/pins/constants.ts";
import type { BulkRow, PlaceChoice, RowImage, RowProblems, RowText } from "./bulk-rows.ts";
import { RowPreview } from "./row-preview.tsx";

/** Identifies the same control in different rows. */
const PART_ATTRIBUTE = "data-part";

const TEXT_PARTS: readonly string[] = ["title", "description", "url"] satisfies RowText[];

const isTextPart = (part: string): part is RowText => TEXT_PARTS.includes(part);

const focusSibling = (row: Element, part: string, direction: "next" | "previous"): void => {
  const sibling = direction === "next" ? row.nextElementSibling : row.previousElementSibling;
  const control = sibling?.querySelector(`[${PART_ATTRIBUTE}="${part}"]`);
  if (control instanceof HTMLElement) control.focus();
};

type Keys = { onSend: () => void; onFillDown: (rowKey: string, part: RowText) => void };

/** Alt+Arrow moves to the same field of another row, Ctrl+D fills down, Ctrl+Enter submits. */
export const applyFormKey = (event: KeyboardEvent, { onSend, onFillDown }: Keys): void => {
  const target = event.target;
  if (!(target instanceof HTMLElement) || event.nativeEvent.isComposing) return;
  const isCommand = event.ctrlKey || event.metaKey;
  if (isCommand && event.key === "Enter") {
    event.preventDefault();
    onSend();
    return;
  }
  const row = target.closest("[data-row]");
  const part = target.getAttribute(PART_ATTRIBUTE);
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

/** A hint for file dialogs; the content decides. */
export const ACCEPTED = "image/png,image/jpeg,image/gif,image/webp";

type RowImageFieldProps = {
  number: number;
  image: RowImage | null;
  problem: string | undefined;
  /** Upload progress. */
  percent: number | undefined;
  noteId: string;
  isDisabled: boolean;
  onFiles: (files: File[]) => void;
};

/** The image in a 9:14 frame without cropping. A click on the frame chooses another one. */
function RowImageField(props: RowImageFieldProps) {
  const { number, image, problem, percent, noteId, isDisabled, onFiles } = props;
  const note = problem ?? image?.note;
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
          aria-label={`Choose an image for pin ${number}`}
          className="sr-only"
          accept={ACCEPTED}
          multiple
          disabled={isDisabled}
          aria-describedby={note ? noteId : undefined}
          aria-invalid={problem ? true : undefined}
          {...{ [PART_ATTRIBUTE]: "image" }}
          onChange={(event) => {
            onFiles([...(event.target.files ?? [])]);
            // Allows choosing the same file again after it was fixed.
            event.target.value = "";
          }}
        />
        {image && !image.problem ? (
          <PinFace src={image.preview} alt="" className="bg-well [&_img]:object-contain" />
        ) : (
          <PinOutline>
            <span className="font-sans text-xs/[1.4] font-medium not-italic grid justify-items-center gap-2">
              <ImagePlus aria-hidden="true" size={20} strokeWidth={1.7} />
              {image ? image.file.name : "Choose an image"}
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
          <progress max={100} value={percent} aria-label={`Uploading image for pin ${number}`} />
          {percent}%
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

/** Shared by all rows, so that typing in one row does not render the others. */
export interface RowActions {
  setText: (key: string, part: RowText, text: string) => void;
  setPlace: (key: string, place: PlaceChoice) => void;
  toggleLock: (key: string) => void;
  fillDown: (key: string, part: RowText) => void;
  remove: (row: BulkRow) => void;
  addFiles: (files: File[], key: string) => void;
}

type BulkRowProps = {
  row: BulkRow;
  number: number;
  isLast: boolean;
  /** Of the account that publishes it. */
  username: string;
  /** Its own board and section, or the shared ones. */
  boardId: string | null;
  boardSectionId: string | null;
  boards: Boards;
  problems: RowProblems | undefined;
  percent: number | undefined;
  isDisabled: boolean;
  actions: RowActions;
};

/** A label that includes the pin number for screen readers. */
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

/** Copies the field to all rows below. */
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

/** The board and section of one pin, which are the form's unless the row is unlocked. */
function RowPlace(props: BulkRowProps) {
  const { row, number, isLast, boardId, boardSectionId, boards, problems, isDisabled, actions } = props;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-2">
      <SelectField
        label={named("Board", number)}
        value={boardId ?? ""}
        disabled={isDisabled || !boards.items || boards.items.length === 0}
        aria-busy={boards.isLoading}
        error={boards.problem ?? problems?.board}
        hint={number === 1 && !isLast && "Applies to all pins. Unlock a row to give its pin a different board."}
        {...{ [PART_ATTRIBUTE]: "board" }}
        onChange={({ target }) => actions.setPlace(row.key, { boardId: target.value || null, boardSectionId: null })}
      >
        <option value="">{boards.emptyText}</option>
        {boards.items?.map((board) => (
          <option key={board.id} value={board.id}>
            {boardLabel(board)}
          </option>
        ))}
      </SelectField>
      <IconButton
        label={`Separate board for pin ${number}`}
        aria-pressed={row.isUnlocked}
        className="mt-[calc(30px+(var(--h-control)-34px)/2)]"
        disabled={isDisabled}
        onClick={() => actions.toggleLock(row.key)}
      >
        {row.isUnlocked ? <LockOpen aria-hidden="true" /> : <Lock aria-hidden="true" />}
      </IconButton>
      <SectionField
        accountId={boards.accountId}
        boardId={boardId}
        value={boardSectionId}
        label={named("Section", number)}
        isDisabled={isDisabled}
        onChange={(sectionId) => actions.setPlace(row.key, { boardId, boardSectionId: sectionId })}
      />
      {row.isUnlocked && !isDisabled && (
        <NewPlace
          boards={boards}
          boardId={boardId}
          onBoard={(id) => actions.setPlace(row.key, { boardId: id, boardSectionId: null })}
          onSection={(id) => actions.setPlace(row.key, { boardId, boardSectionId: id })}
        />
      )}
    </div>
  );
}

/** The fields of one pin. */
export const BulkRowFields = memo(function BulkRowFields(props: BulkRowProps) {
  const { row, number, isLast, username, boardId, boards, problems, percent, isDisabled, actions } = props;
  const id = useId();
  const text = (part: RowText) => ({
    label: named(PART_NAMES[part], number),
    value: row[part],
    disabled: isDisabled,
    error: problems?.[part],
    aside: !isLast && <FillDown part={part} row={row} number={number} isDisabled={isDisabled} actions={actions} />,
    [PART_ATTRIBUTE]: part,
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
      <RowImageField
        number={number}
        image={row.image}
        problem={problems?.image ?? row.image?.problem ?? undefined}
        percent={percent}
        noteId={`${id}-image`}
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
          <RowPlace {...props} />
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
      <RowPreview row={row} number={number} username={username} boardId={boardId} boards={boards} />
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
