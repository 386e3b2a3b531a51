"use client";

import { type FormEvent, useEffect, useRef, useState } from "react";
import { dayEndText, daysText, fewerText } from "#components/results/result-words.ts";
import type { ResultsQuery, ShownDays, Span } from "#components/results/results-query.ts";
import { Button } from "#components/ui/button.tsx";
import { Segment } from "#components/ui/segment.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { dayOf, firstToldDay } from "#lib/features/analytics/policy.ts";

type RangeChoiceProps = {
  query: ResultsQuery;
  days: ShownDays;
  now: Date;
  timeZone: string;
  onChange: (part: Partial<ResultsQuery>) => void;
};

const SPAN_OPTIONS: readonly { value: `${Span}`; label: string }[] = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "chosen", label: "Other" },
];

const SPAN_VALUES: Record<string, Span> = { 7: 7, 30: 30, 90: 90, chosen: "chosen" };

function ChosenDays({ query, days, now, onChange }: Omit<RangeChoiceProps, "timeZone">) {
  const [from, setFrom] = useState(query.from || days.firstDay);
  const [to, setTo] = useState(query.to || days.lastDay);
  const form = useRef<HTMLFormElement>(null);
  const [asked, setAsked] = useState(query);
  const [turn, setTurn] = useState(0);
  if (asked.from !== query.from || asked.to !== query.to) {
    setAsked(query);
    setFrom(query.from || days.firstDay);
    setTo(query.to || days.lastDay);
  }
  useEffect(() => {
    if (turn > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [turn]);
  const bounds = { min: firstToldDay(now), max: dayOf(now) };
  const errorOf = (field: "from" | "to") => (days.problem?.field === field ? days.problem.text : undefined);
  const show = (event: FormEvent) => {
    event.preventDefault();
    onChange({ span: "chosen", from, to });
    setTurn((before) => before + 1);
  };
  return (
    <form ref={form} className="range-days" onSubmit={show} noValidate>
      <TextField
        type="date"
        label="First day"
        value={from}
        {...bounds}
        error={errorOf("from")}
        onChange={(event) => setFrom(event.target.value)}
      />
      <TextField
        type="date"
        label="Last day"
        value={to}
        {...bounds}
        error={errorOf("to")}
        onChange={(event) => setTo(event.target.value)}
      />
      <Button type="submit" className="range-show">
        Show these days
      </Button>
    </form>
  );
}

/** Which days are shown: a span or two days, and when a day of Pinterest's ends for whoever reads. */
export function RangeChoice({ query, days, now, timeZone, onChange }: RangeChoiceProps) {
  const { problem } = days;
  const fewer = query.span === "chosen" ? "" : fewerText(days, query.span);
  return (
    <section className="range" aria-label="Days">
      <Segment
        label="Days"
        isLabelHidden
        className="range-spans"
        options={SPAN_OPTIONS}
        value={`${query.span}`}
        onChange={(value) => {
          const span = SPAN_VALUES[value] ?? 30;
          onChange(span === "chosen" ? { span, from: days.firstDay, to: days.lastDay } : { span, from: "", to: "" });
        }}
      />
      <p className="range-words num">
        <span role="status">
          <b>
            {problem && "Not those days. Shown are "}
            {daysText(days)}
          </b>{" "}
          {fewer}
        </span>
        <span>Pinterest’s days end at midnight UTC, which is {dayEndText(days.lastDay, timeZone)} for you.</span>
      </p>
      {query.span === "chosen" && <ChosenDays query={query} days={days} now={now} onChange={onChange} />}
    </section>
  );
}
