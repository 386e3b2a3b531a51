import { useState } from "react";
import { NewPlace } from "#components/accounts/new-place.tsx";
import { SectionField } from "#components/accounts/section-field.tsx";
import { useBoards } from "#components/accounts/use-boards.tsx";
import { zoneLabel } from "#components/shared/time-zone-options.tsx";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextAreaField } from "#components/ui/text-area-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import type { ActionResult } from "#lib/client/api.ts";
import { firstChars } from "#lib/core/text.ts";
import { localTimeOf } from "#lib/core/zoned-time.ts";
import type { BoardWire } from "#lib/features/accounts/schema.ts";
import type { Field } from "#lib/features/spreadsheets/constants.ts";
import type { ImportWire, ReviewRowWire } from "#lib/features/spreadsheets/schema.ts";

type Fixes = Partial<Record<Field, string>>;

const problemsOf = (row: ReviewRowWire): Map<string, string> =>
  new Map(row.problems.map(({ field, text }) => [field, text]));

/** A valid time as the browser's inputs need it; what can't be read is entered again. */
const timeOf = (row: ReviewRowWire, timeZone: string): LocalTime =>
  row.scheduled_at ? localTimeOf(new Date(row.scheduled_at), timeZone) : { date: "", time: "" };

/** Only what differs, so that other fields keep following their columns. */
const changesOf = (row: ReviewRowWire, fields: Fixes): Fixes =>
  Object.fromEntries(Object.entries(fields).filter(([field, text]) => row.values[field as Field] !== text));

type RowEditorProps = {
  row: ReviewRowWire;
  open: ImportWire;
  isBusy: boolean;
  createBoard: (name: string) => Promise<ActionResult<BoardWire>>;
  onSave: (fixes: Fixes) => void;
  onCancel: () => void;
};

type LocalTime = { date: string; time: string };

type TimeFieldsProps = {
  at: LocalTime;
  error: string | undefined;
  inSheet: string;
  zone: string;
  onChange: (at: LocalTime) => void;
};

function TimeFields({ at, error, inSheet, zone, onChange }: TimeFieldsProps) {
  return (
    <>
      <TextField
        label="Publish date"
        type="date"
        value={at.date}
        error={error}
        hint={inSheet && `In the sheet: ${inSheet}`}
        onChange={(event) => onChange({ ...at, date: event.target.value })}
      />
      <TextField
        label="Publish time"
        type="time"
        hint={zoneLabel(zone)}
        value={at.time}
        onChange={(event) => onChange({ ...at, time: event.target.value })}
      />
    </>
  );
}

/** Edits a row in place. Each problem is shown below its field. */
export function RowEditor({ row, open, isBusy, createBoard, onSave, onCancel }: RowEditorProps) {
  const { title, description, link, altText, image } = row.values;
  const [texts, setTexts] = useState<Fixes>({ title, description, link, altText, image });
  const [{ boardId, sectionId }, setPlace] = useState({
    boardId: row.board_id ?? "",
    sectionId: row.values.boardSectionId || null,
  });
  const setBoardId = (id: string) => setPlace({ boardId: id, sectionId: null });
  const [at, setAt] = useState(() => timeOf(row, open.time_zone));
  const [isDateRemoved, setDateRemoved] = useState(false);
  const boards = useBoards(open.account_id);
  const known = new Set(open.boards.map(({ id }) => id));
  const choices = [...open.boards, ...(boards.items ?? []).filter(({ id }) => !known.has(id))];
  // A date that the input can't show can't be cleared there, so it needs its own control.
  const hasUnshownDate = row.values.publishAt !== "" && row.scheduled_at === null;
  const isRemoved = isDateRemoved && at.date === "";
  const problems = problemsOf(row);
  const field = (name: Field) => ({
    value: texts[name] ?? "",
    error: problems.get(name),
    onChange: (event: { target: { value: string } }) => setTexts({ ...texts, [name]: event.target.value }),
  });
  const save = () => {
    const before = timeOf(row, open.time_zone);
    const isTimeChanged = before.date !== at.date || before.time !== at.time;
    onSave({
      ...changesOf(row, texts),
      ...(boardId !== (row.board_id ?? "") && { boardId, board: "" }),
      ...((sectionId ?? "") !== row.values.boardSectionId && { boardSectionId: sectionId ?? "" }),
      ...(isRemoved && { publishAt: "", publishTime: "" }),
      ...(isTimeChanged && { publishAt: at.date ? `${at.date} ${at.time || "12:00"}` : "", publishTime: "" }),
    });
  };
  return (
    <form
      aria-label={`Edit row ${row.number}`}
      className="grid grid-cols-1 gap-4 sm:grid-cols-2"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => {
        const isInDialog = !(event.target instanceof Node && event.currentTarget.contains(event.target));
        if (event.key !== "Escape" || isInDialog) return;
        event.stopPropagation();
        onCancel();
      }}
    >
      <TextField label="Title" autoFocus {...field("title")} />
      <div className="grid content-start gap-1.5">
        <SelectField
          label="Board"
          value={boardId}
          error={problems.get("board")}
          onChange={(event) => setBoardId(event.target.value)}
        >
          <option value="">Choose a board</option>
          {choices.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <SectionField
          accountId={open.account_id}
          boardId={boardId || null}
          value={sectionId}
          error={problems.get("boardSectionId")}
          onChange={(id) => setPlace({ boardId, sectionId: id })}
        />
        <NewPlace
          boards={boards}
          create={createBoard}
          boardId={boardId || null}
          onBoard={setBoardId}
          onSection={(id) => setPlace({ boardId, sectionId: id })}
        />
      </div>
      <TextField label="Image (URL or file name)" inputMode="url" {...field("image")} />
      <TextField label="Link" inputMode="url" {...field("link")} />
      <TextAreaField label="Description" rows={3} {...field("description")} />
      <TextAreaField label="Alt text" rows={3} {...field("altText")} />
      {open.is_scheduled && (
        <>
          <TimeFields
            at={at}
            error={isRemoved ? undefined : problems.get("publishAt")}
            inSheet={row.values.publishAt}
            zone={open.time_zone}
            onChange={setAt}
          />
          {hasUnshownDate && (
            <Checkbox
              className="sm:col-span-2"
              label={`Remove the date “${firstChars(row.values.publishAt, 40)}”, so that this row becomes a draft`}
              checked={isRemoved}
              disabled={at.date !== ""}
              onChange={(event) => setDateRemoved(event.target.checked)}
            />
          )}
        </>
      )}
      <div className="flex flex-wrap justify-end gap-3 sm:col-span-2">
        <Button variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" isBusy={isBusy}>
          Save row {row.number}
        </Button>
      </div>
    </form>
  );
}
