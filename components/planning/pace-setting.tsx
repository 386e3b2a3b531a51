"use client";

import { type FormEvent, useRef, useState } from "react";
import { zoneLabel } from "#components/shared/time-zone-options.tsx";
import { useUnsaved } from "#components/shared/use-unsaved.ts";
import { Button } from "#components/ui/button.tsx";
import { Segment } from "#components/ui/segment.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { callAction } from "#lib/client/api.ts";
import { savePaceAction } from "#lib/features/planning/actions.ts";
import {
  NUMBER_NAMES,
  NUMBER_RANGES,
  type PaceNumberName,
  type PaceNumbers,
  PRESET_NAMES,
  PRESETS,
  TEXTS,
} from "#lib/features/planning/constants.ts";
import { presetOf } from "#lib/features/planning/policy.ts";
import { type PaceWire, paceNumbers } from "#lib/features/planning/schema.ts";

type Field = keyof PaceNumbers;
type Values = Record<Field, string>;

const LABELS: Record<Field, { label: string; hint?: string }> = {
  perDay: { label: "Maximum pins a day" },
  gapMinutes: { label: "Minimum minutes between pins" },
  quietFrom: { label: "Quiet hours from" },
  quietTo: { label: "Quiet hours until", hint: "To turn quiet hours off, enter the same time in both fields." },
  warmUpStart: { label: "Pins a day at the start of warm-up" },
  warmUpDays: { label: "Warm-up days" },
  warmUpPins: {
    label: "Published pins needed to end warm-up",
    hint: "The daily limit grows until you reach both. To turn off warm-up, set both to 0.",
  },
  linkDays: { label: "Days between pins with the same link" },
  similarDays: { label: "Days between similar images or titles" },
  jitterMinutes: { label: "Maximum random delay, in minutes" },
};

const FIELDS = Object.keys(LABELS) as Field[];

const PRESET_OPTIONS = PRESET_NAMES.map((value) => ({
  value,
  label: { gentle: "Gentle", steady: "Steady", brisk: "Brisk" }[value],
}));

const isNumber = (field: Field): field is PaceNumberName => field in NUMBER_RANGES;

const toValues = (numbers: PaceNumbers): Values =>
  Object.fromEntries(NUMBER_NAMES.map((name) => [name, String(numbers[name])])) as Values;

/** What the fields say; an empty or unreadable number stays invalid. */
const toNumbers = (values: Values): unknown =>
  Object.fromEntries(
    FIELDS.map((field) => {
      const text = values[field].trim();
      return [field, isNumber(field) ? (text === "" ? Number.NaN : Number(text)) : text];
    }),
  );

const rangeText = (field: PaceNumberName): string => {
  const { min, max } = NUMBER_RANGES[field];
  return `Enter a whole number from ${min} to ${max}.`;
};

const problemsOf = (values: Values): Partial<Record<Field, string>> => {
  const issues = paceNumbers.safeParse(toNumbers(values)).error?.issues ?? [];
  return Object.fromEntries(
    issues.toReversed().map(({ path, message }) => {
      const field = path[0] as Field;
      return [field, message === TEXTS.numberInvalid && isNumber(field) ? rangeText(field) : message];
    }),
  );
};

type PaceFormProps = { pace: PaceWire; onSaved: (pace: PaceWire) => void };

function PaceForm({ pace, onSaved }: PaceFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [values, setValues, isSaved] = useUnsaved(`pace ${pace.account_id}`, toValues(pace.numbers));
  const [isRefused, setRefused] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const problems = isRefused ? problemsOf(values) : {};
  const parsed = paceNumbers.safeParse(toNumbers(values));

  const save = async (event: FormEvent) => {
    event.preventDefault();
    setRefused(!parsed.success);
    if (!parsed.success) {
      const first = FIELDS.find((field) => field in problemsOf(values));
      form.current?.querySelector<HTMLElement>(`[name=${first}]`)?.focus();
      return;
    }
    setBusy(true);
    const answer = await callAction(savePaceAction({ accountId: pace.account_id, numbers: parsed.data }));
    setBusy(false);
    if (answer.ok) {
      onSaved(answer.value);
      // What was typed meanwhile isn't saved yet.
      setValues((now) => (now === values ? toValues(answer.value.numbers) : now));
    }
    showToast(answer.ok ? "Pace saved" : answer.text, { hasCheck: answer.ok });
  };

  return (
    <form ref={form} className="grid gap-5" aria-label={`Safe pace of ${pace.username}`} onSubmit={save} noValidate>
      <Segment
        label="Preset"
        options={PRESET_OPTIONS}
        value={(parsed.success && presetOf(parsed.data)) || undefined}
        onChange={(name) => setValues(toValues(PRESETS[name]))}
      />
      <div className="grid grid-cols-2 gap-x-5 gap-y-4 max-md:grid-cols-1">
        {FIELDS.map((field) => (
          <TextField
            key={field}
            {...LABELS[field]}
            {...(isNumber(field)
              ? { type: "number", inputMode: "numeric", step: 1, ...NUMBER_RANGES[field] }
              : { type: "time" })}
            name={field}
            value={values[field]}
            error={problems[field]}
            onChange={({ target }) => setValues((before) => ({ ...before, [field]: target.value }))}
          />
        ))}
      </div>
      <p className="text-sm text-pretty text-ink-3">
        {TEXTS.source} Daily limits and quiet hours use {zoneLabel(pace.time_zone)}.
      </p>
      <div className="flex flex-wrap items-center gap-4">
        <Button type="submit" isBusy={isBusy}>
          Save pace
        </Button>
        <p role="status" className="text-sm text-ink-3">
          {isSaved ? "" : "You have unsaved changes."}
        </p>
      </div>
    </form>
  );
}

/** The pace of each Pinterest account, by a preset or number by number. */
export function PaceSetting({ initial }: { initial: readonly PaceWire[] }) {
  const [paces, setPaces] = useState(initial);
  const [accountId, setAccountId] = useState(initial[0]?.account_id);
  const pace = paces.find(({ account_id }) => account_id === accountId);
  if (!pace) return <p className="text-sm text-ink-3">Connect a Pinterest account to set its pace.</p>;
  return (
    <div className="grid gap-5">
      {paces.length > 1 && (
        <SelectField label="Pinterest account" value={accountId} onChange={({ target }) => setAccountId(target.value)}>
          {paces.map(({ account_id, username }) => (
            <option key={account_id} value={account_id}>
              {username}
            </option>
          ))}
        </SelectField>
      )}
      <PaceForm
        key={pace.account_id}
        pace={pace}
        onSaved={(saved) => setPaces((all) => all.map((one) => (one.account_id === saved.account_id ? saved : one)))}
      />
    </div>
  );
}
