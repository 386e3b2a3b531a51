"use client";

import { type FormEvent, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { readStart, startAt, startDays } from "./read-start.ts";

const LINK = cn(
  "min-h-[max(28px,var(--target-min))] bg-transparent text-band-2 underline underline-offset-3 justify-self-start",
  "max-md:min-h-11",
);
const FIELD = cn(
  "h-10 min-w-0 rounded-[9px] border border-band-2 bg-band-raised px-2.5 font-semibold text-band-ink scheme-dark num",
  "max-md:h-11",
);

type SlotTimeProps = {
  title: string;
  dueAt: Date;
  /** Whether the user set this time. */
  isChosen: boolean;
  now: Date;
  timeZone: string;
  /** Null goes back to the planned time. */
  onChoose: (at: Date | null) => void;
};

/** Changes the time of one planned pin; the other pins are planned around it. */
export function SlotTime({ title, dueAt, isChosen, now, timeZone, onChoose }: SlotTimeProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [choice, setChoice] = useState<ReturnType<typeof startAt> | null>(null);
  const close = (at?: Date) => {
    flushSync(() => {
      if (at) onChoose(at);
      setChoice(null);
    });
    button.current?.focus();
  };
  if (!choice) {
    return (
      <span className="flex flex-wrap gap-x-4 col-span-full">
        <button
          ref={button}
          type="button"
          className={LINK}
          aria-label={`Change the time of “${title}”`}
          onClick={() => setChoice(startAt(dueAt, timeZone))}
        >
          Change time
        </button>
        {isChosen && (
          <button
            type="button"
            className={LINK}
            aria-label={`Use the planned time of “${title}”`}
            onClick={() => onChoose(null)}
          >
            Use the planned time
          </button>
        )}
      </span>
    );
  }
  const read = readStart(choice, timeZone, now);
  const noteId = read.problem || read.note ? `${id}-note` : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (read.start && !read.problem) close(read.start);
  };
  const field = { className: FIELD, "aria-describedby": noteId, "aria-invalid": read.problem !== null };
  return (
    <form
      className="flex flex-wrap items-center gap-2 col-span-full"
      aria-label={`Time of “${title}”`}
      onSubmit={submit}
      noValidate
    >
      <input
        {...field}
        {...startDays(now, timeZone)}
        // biome-ignore lint/a11y/noAutofocus: it appears on request, in place of the button that had the focus
        autoFocus
        type="date"
        aria-label="Date"
        value={choice.date}
        onChange={({ target }) => setChoice({ ...choice, date: target.value, exact: null })}
      />
      <input
        {...field}
        type="time"
        aria-label="Time"
        value={choice.time}
        onChange={({ target }) => setChoice({ ...choice, time: target.value, exact: null })}
      />
      <Button type="submit" size="sm" variant="band" disabled={read.problem !== null}>
        Set time
      </Button>
      <button type="button" className={LINK} onClick={() => close()}>
        Cancel
      </button>
      {noteId && (
        <p id={noteId} role="alert" className={cn("basis-full", read.problem ? "text-(--brick-300)" : "text-band-2")}>
          {read.problem ?? read.note}
        </p>
      )}
    </form>
  );
}
