"use client";

import { type FormEvent, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { DialogActions } from "#components/ui/dialog.tsx";
import { FieldNote } from "#components/ui/field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import {
  nextHour,
  offsetText,
  readStart,
  type SkippedTime,
  type StartChoice,
  startAt,
  startDays,
} from "./read-start.ts";

type TimeFormProps = {
  /** The accessible name. */
  label: string;
  /** The time to begin with; null for the next full hour. A past time begins with now. */
  before: Date | null;
  timeZone: string;
  skipped?: SkippedTime;
  submitLabel: string;
  isBusy: boolean;
  /** @returns whether the time was accepted, which closes the form. */
  onSubmit: (at: Date) => Promise<boolean>;
  onClose: () => void;
};

/** Asks for a date and time, for use in a dialog. */
export function TimeForm({ label, before, timeZone, skipped, submitLabel, isBusy, onSubmit, onClose }: TimeFormProps) {
  const [now] = useState(() => new Date());
  const [choice, setChoice] = useState<StartChoice>(() =>
    before ? startAt(before > now ? before : now, timeZone) : nextHour(now, timeZone),
  );
  const [problem, setProblem] = useState<string | null>(null);
  const read = readStart(choice, timeZone, now, skipped);
  const isSame = before !== null && read.start !== null && Math.abs(read.start.getTime() - before.getTime()) < 1_000;

  const change = (some: Partial<StartChoice>) => {
    setProblem(null);
    setChoice({ ...choice, ...some, exact: null });
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    // Read again with the current time, because the dialog may have been open for long.
    const { start, problem: found } = readStart(choice, timeZone, new Date(), skipped);
    if (start === null) return setProblem(found);
    if (await onSubmit(start)) onClose();
  };

  return (
    <form onSubmit={submit} noValidate className="mt-5 grid gap-3" aria-label={label}>
      <div className="grid grid-cols-[minmax(0,3fr)_minmax(0,2fr)] gap-3 max-sm:grid-cols-1">
        <TextField
          label="Date"
          type="date"
          {...startDays(now, timeZone)}
          value={choice.date}
          onChange={({ target }) => change({ date: target.value })}
        />
        <TextField
          label="Time"
          type="time"
          value={choice.time}
          onChange={({ target }) => change({ time: target.value })}
        />
      </div>
      <FieldNote>
        In {timeZone} ({offsetText(read.start ?? now, timeZone)})
      </FieldNote>
      <FieldNote role="alert" isError={Boolean(problem || read.problem)}>
        {problem ?? read.problem ?? read.note}
      </FieldNote>
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" isBusy={isBusy} disabled={!isBusy && (read.start === null || isSame)}>
          {submitLabel}
        </Button>
      </DialogActions>
    </form>
  );
}
