"use client";

import { type FormEvent, useState } from "react";
import {
  nextHour,
  offsetText,
  readStart,
  type StartChoice,
  startAt,
  startDays,
} from "#components/publishing/read-start.ts";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { FieldNote } from "#components/ui/field.tsx";
import { TextField } from "#components/ui/text-field.tsx";

/** The pins that get a time; `at` is the first one's now, null for drafts. */
export interface TimeQuestion {
  ids: readonly string[];
  at: string | null;
}

type MoveDialogProps = {
  /** Null while closed. */
  question: TimeQuestion | null;
  zone: string;
  onAnswer: (question: TimeQuestion, at: Date) => Promise<boolean>;
  onClose: () => void;
  focusAfter: () => HTMLElement | null;
};

const descriptionOf = ({ ids, at }: TimeQuestion): string => {
  if (ids.length === 1) return "Only this pin's time will change.";
  return at === null
    ? "The first draft goes out then, the others 15 minutes apart."
    : "The first pin moves there, and the others keep their distance to it.";
};

function MoveForm({ question, zone, onAnswer, onClose }: MoveDialogProps & { question: TimeQuestion }) {
  const [now] = useState(() => new Date());
  const [choice, setChoice] = useState<StartChoice>(() => {
    const before = question.at === null ? null : new Date(question.at);
    return before && before > now ? startAt(before, zone) : nextHour(now, zone);
  });
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const read = readStart(choice, zone, now);
  const change = (some: Partial<StartChoice>) => {
    setProblem(null);
    setChoice({ ...choice, ...some, exact: null });
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    // Read again with the current time, because the dialog may have been open for long.
    const { start, problem: found } = readStart(choice, zone, new Date());
    if (start === null) return setProblem(found);
    setBusy(true);
    const isDone = await onAnswer(question, start);
    setBusy(false);
    if (isDone) onClose();
  };
  return (
    <form onSubmit={submit} noValidate className="mt-5 grid gap-3" aria-label="Date and time">
      <div className="grid grid-cols-[minmax(0,3fr)_minmax(0,2fr)] gap-3 max-sm:grid-cols-1">
        <TextField
          label="Date"
          type="date"
          {...startDays(now, zone)}
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
        In {zone} ({offsetText(read.start ?? now, zone)})
      </FieldNote>
      <FieldNote role="alert" isError={Boolean(problem || read.problem)}>
        {problem ?? read.problem ?? read.note}
      </FieldNote>
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" isBusy={isBusy} disabled={!isBusy && read.start === null}>
          {question.at === null ? "Schedule" : "Move"}
        </Button>
      </DialogActions>
    </form>
  );
}

/** Asks for the date and time of pins. */
export function MoveDialog(props: MoveDialogProps) {
  const { question, onClose } = props;
  const count = question?.ids.length ?? 0;
  const what = count === 1 ? "this pin" : `these ${count} pins`;
  return (
    <Dialog
      isOpen={question !== null}
      onClose={onClose}
      title={`When should ${what} be published?`}
      description={question && descriptionOf(question)}
      hasCloseButton
      focusAfter={props.focusAfter}
    >
      {question && <MoveForm {...props} question={question} />}
    </Dialog>
  );
}
