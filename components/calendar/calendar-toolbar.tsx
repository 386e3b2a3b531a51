"use client";

import ChevronLeft from "lucide-react/icons/chevron-left";
import ChevronRight from "lucide-react/icons/chevron-right";
import Link from "next/link";
import { useState } from "react";
import { zoneLabel } from "#components/shared/time-zone-options.tsx";
import { Button } from "#components/ui/button.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Segment } from "#components/ui/segment.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { isIsoDate } from "#lib/core/time.ts";
import type { BoardWire } from "#lib/features/accounts/schema.ts";
import { type CalendarQuery, type CalendarStatus, type CalendarView, rangeLabel, stepDate } from "./calendar-query.ts";

const VIEW_OPTIONS: readonly { value: CalendarView; label: string }[] = [
  { value: "month", label: "Month" },
  { value: "week", label: "Week" },
  { value: "list", label: "List" },
];

const STATUS_OPTIONS: readonly { value: CalendarStatus; label: string }[] = [
  { value: "all", label: "All statuses" },
  { value: "scheduled", label: "Scheduled" },
  { value: "published", label: "Published" },
  { value: "failed", label: "Failed" },
];

/** Keeps what is being typed; a complete date is shown. */
function DateField({ date, onChange }: { date: string; onChange: (date: string) => void }) {
  const [typed, setTyped] = useState({ text: date, date });
  if (typed.date !== date) setTyped({ text: date, date });
  const change = (text: string) => {
    const isComplete = isIsoDate(text);
    setTyped({ text, date: isComplete ? text : date });
    if (isComplete) onChange(text);
  };
  return (
    <TextField
      label="Go to date"
      isLabelHidden
      title="Go to date"
      type="date"
      value={typed.text}
      onChange={({ target }) => change(target.value)}
      fieldClassName="w-44 max-sm:col-span-2 max-sm:w-full"
    />
  );
}

type CalendarToolbarProps = {
  query: CalendarQuery;
  today: string;
  zone: string;
  boards: readonly BoardWire[];
  settingsPath: string;
  onChange: (change: Partial<CalendarQuery>) => void;
};

/** Which days the calendar shows, and which pins. */
export function CalendarToolbar({ query, today, zone, boards, settingsPath, onChange }: CalendarToolbarProps) {
  return (
    <div className="mb-5 grid gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
        <div className="flex items-center gap-1">
          <IconButton label="Previous" onClick={() => onChange({ date: stepDate(query, -1) })}>
            <ChevronLeft aria-hidden="true" />
          </IconButton>
          <Button size="sm" onClick={() => onChange({ date: today })}>
            Today
          </Button>
          <IconButton label="Next" onClick={() => onChange({ date: stepDate(query, 1) })}>
            <ChevronRight aria-hidden="true" />
          </IconButton>
        </div>
        <h2 className="title-3 num mr-auto" aria-live="polite">
          {rangeLabel(query)}
        </h2>
        <Segment
          label="View"
          isLabelHidden
          options={VIEW_OPTIONS}
          value={query.view}
          onChange={(view) => onChange({ view })}
          className="max-sm:w-full"
        />
      </div>
      <div className="flex flex-wrap items-center gap-3 max-sm:grid max-sm:grid-cols-2">
        <DateField date={query.date} onChange={(date) => onChange({ date })} />
        <SelectField
          label="Board"
          isLabelHidden
          value={query.boardId ?? ""}
          onChange={({ target }) => onChange({ boardId: target.value || null })}
          fieldClassName="w-48 max-sm:w-full"
        >
          <option value="">All boards</option>
          {boards.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Status"
          isLabelHidden
          value={query.status}
          onChange={({ target }) => onChange({ status: target.value as CalendarStatus })}
          fieldClassName="w-40 max-sm:w-full"
        >
          {STATUS_OPTIONS.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        <p className="ml-auto text-sm text-ink-3 max-sm:col-span-2 max-sm:ml-0">
          Times in {zoneLabel(zone)}.{" "}
          <Link className="link" href={settingsPath}>
            Slots and time zone
          </Link>
        </p>
      </div>
    </div>
  );
}
