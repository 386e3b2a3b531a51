"use client";

import { type FormEvent, useState } from "react";
import { offsetText, readStart, type StartChoice, startAt, startDays } from "#components/publishing/read-start.ts";
import { Button } from "#components/ui/button.tsx";
import { Dialog, DialogActions } from "#components/ui/dialog.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import type { PostWire } from "#lib/features/pins/schema.ts";

type RescheduleProps = {
  post: PostWire;
  timeZone: string;
  isBusy: boolean;
  /** @returns whether the pin has the new time. */
  onReschedule: (post: PostWire, at: Date) => Promise<boolean>;
  onClose: () => void;
};

function RescheduleForm({ post, timeZone, isBusy, onReschedule, onClose }: RescheduleProps) {
  const [now] = useState(() => new Date());
  const before = new Date(post.scheduled_at ?? now);
  const [choice, setChoice] = useState<StartChoice>(() => startAt(before > now ? before : now, timeZone));
  const [problem, setProblem] = useState<string | null>(null);
  const read = readStart(choice, timeZone, now);
  const isSame = read.start !== null && Math.abs(read.start.getTime() - before.getTime()) < 1_000;

  const change = (some: Partial<StartChoice>) => {
    setProblem(null);
    setChoice({ ...choice, ...some, exact: null });
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    // By the time of pressing: the dialog may have been open for long.
    const { start, problem: found } = readStart(choice, timeZone, new Date());
    if (start === null) return setProblem(found);
    if (await onReschedule(post, start)) onClose();
  };

  return (
    <form onSubmit={submit} noValidate className="mt-5 grid gap-3" aria-label="Reschedule">
      <div className="when-fields">
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
      <p className="field-note">
        In {timeZone} ({offsetText(read.start ?? now, timeZone)})
      </p>
      <p role="alert" className={problem || read.problem ? "field-error" : "field-note"}>
        {problem ?? read.problem ?? read.note}
      </p>
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" variant="primary" isBusy={isBusy} disabled={!isBusy && (read.start === null || isSame)}>
          Move it
        </Button>
      </DialogActions>
    </form>
  );
}

/** Another time for a scheduled pin, by calendar and clock of the user's time zone (R-SRV-06). */
export function RescheduleDialog({ isOpen, ...form }: RescheduleProps & { isOpen: boolean }) {
  return (
    <Dialog
      isOpen={isOpen}
      onClose={form.onClose}
      title="When should it go out?"
      description="Only this pin moves; the others of its batch keep their times."
      hasCloseButton
    >
      <RescheduleForm {...form} />
    </Dialog>
  );
}
