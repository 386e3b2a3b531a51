"use client";

import { useState } from "react";
import { TimeForm } from "#components/publishing/time-form.tsx";
import { Dialog } from "#components/ui/dialog.tsx";

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
  if (ids.length === 1) return at === null ? "Only this draft will be scheduled." : "Only this pin's time will change.";
  return at === null
    ? "Drafts go out 15 minutes apart, starting at this time."
    : "The first pin moves to this time. The others keep their spacing.";
};

function MoveForm({ question, zone, onAnswer, onClose }: MoveDialogProps & { question: TimeQuestion }) {
  const [isBusy, setBusy] = useState(false);
  const answer = async (at: Date): Promise<boolean> => {
    setBusy(true);
    const isDone = await onAnswer(question, at);
    setBusy(false);
    return isDone;
  };
  return (
    <TimeForm
      label="Date and time"
      before={question.at === null ? null : new Date(question.at)}
      timeZone={zone}
      skipped="moved_forward"
      submitLabel={question.at === null ? "Schedule" : "Move"}
      isBusy={isBusy}
      onSubmit={answer}
      onClose={onClose}
    />
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
