"use client";

import ChevronLeft from "lucide-react/icons/chevron-left";
import X from "lucide-react/icons/x";
import Link from "next/link";
import { type FormEvent, type KeyboardEvent, useRef, useState } from "react";
import type { AccountOption } from "#components/accounts/account-choice.tsx";
import { timeLabel } from "#components/publishing/moments.ts";
import { PageHeader } from "#components/shared/page-header.tsx";
import { useTimeZone } from "#components/shared/time-zone.tsx";
import { TimeZoneOptions, zoneLabel } from "#components/shared/time-zone-options.tsx";
import { useUnsaved } from "#components/shared/use-unsaved.ts";
import { Button } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { useNotice } from "#components/ui/notice.tsx";
import { SelectField } from "#components/ui/select-field.tsx";
import { TextField } from "#components/ui/text-field.tsx";
import { showToast } from "#components/ui/toaster.tsx";
import { callAction } from "#lib/client/api.ts";
import { calendarUrl, type DayRange } from "#lib/core/paths.ts";
import { saveSlotsAction, setAccountTimeZoneAction, suggestSlotsAction } from "#lib/features/calendar/actions.ts";
import { WEEKDAY_LABELS, WEEKDAYS } from "#lib/features/calendar/constants.ts";
import { minuteOfTime } from "#lib/features/calendar/policy.ts";
import type { PostingSlot } from "#lib/features/calendar/schema.ts";
import { hourLabel } from "./calendar-query.ts";

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const sameSlot = (a: PostingSlot, b: PostingSlot): boolean => a.weekday === b.weekday && a.minute === b.minute;
const order = (a: PostingSlot, b: PostingSlot): number => a.weekday - b.weekday || a.minute - b.minute;

/** '12:15 PM' */
const slotTime = (minute: number): string => timeLabel(new Date(Date.UTC(2026, 0, 1, 0, minute)), "UTC");

type ZoneFieldProps = { account: AccountOption; userZone: string; onSaved: (zone: string | null) => void };

const OWN_ZONE = "";

/** The account's time zone: the user's, or a fixed one. */
function ZoneField({ account, userZone, onSaved }: ZoneFieldProps) {
  const notice = useNotice();
  const choose = async (value: string) => {
    const timeZone = value === OWN_ZONE ? null : value;
    const result = await callAction(setAccountTimeZoneAction({ accountId: account.id, timeZone }));
    if (!result.ok) return notice.error(result.text);
    showToast("Time zone saved", { hasCheck: true });
    onSaved(timeZone);
  };
  return (
    <SelectField
      label="Account time zone"
      hint="Used for slots, the calendar, daily limits, and quiet hours. Pins that are already scheduled keep their times."
      fieldClassName="max-w-[380px]"
      value={account.timeZone ?? OWN_ZONE}
      onChange={({ target }) => void choose(target.value)}
    >
      <option value={OWN_ZONE}>Same as in Settings ({zoneLabel(userZone)})</option>
      <TimeZoneOptions chosen={account.timeZone ?? null} />
    </SelectField>
  );
}

type GridProps = { slots: readonly PostingSlot[]; onToggle: (slot: PostingSlot) => void };

const STEPS: Record<string, [days: number, hours: number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

type CellProps = GridProps & {
  weekday: (typeof WEEKDAYS)[number];
  hour: number;
  isFocus: boolean;
  onFocus: () => void;
};

function SlotCell({ weekday, hour, slots, isFocus, onFocus, onToggle }: CellProps) {
  const own = slots.filter((slot) => slot.weekday === weekday && Math.floor(slot.minute / 60) === hour);
  const times = own.length > 0 ? own.map(({ minute }) => slotTime(minute)).join(" and ") : hourLabel(hour);
  const press = () => {
    if (own.length === 0) onToggle({ weekday, minute: hour * 60 });
    for (const slot of own) onToggle(slot);
  };
  return (
    <td className="border border-line p-0.5">
      <button
        type="button"
        data-cell={`${weekday}-${hour}`}
        tabIndex={isFocus ? 0 : -1}
        aria-pressed={own.length > 0}
        aria-label={`${WEEKDAY_LABELS[weekday]}, ${times}`}
        onFocus={onFocus}
        onClick={press}
        className={cn(
          "num grid h-9 w-full place-items-center rounded-[5px] text-xs hover:bg-hover",
          own.length > 0 && "bg-accent font-semibold text-on-accent hover:bg-accent-hover",
        )}
      >
        {own.map(({ minute }) => `:${String(minute % 60).padStart(2, "0")}`).join(" ")}
      </button>
    </td>
  );
}

/** Weekdays by hours. A press adds a slot at the full hour, or removes the hour's slots. Arrow keys move the focus. */
function SlotGrid({ slots, onToggle }: GridProps) {
  const table = useRef<HTMLTableElement>(null);
  const [focus, setFocus] = useState({ weekday: 1, hour: 9 });
  const onKeyDown = (event: KeyboardEvent) => {
    const [days, hours] = STEPS[event.key] ?? [];
    if (days === undefined || hours === undefined) return;
    event.preventDefault();
    const next = { weekday: (focus.weekday + days + 7) % 7, hour: (focus.hour + hours + 24) % 24 };
    setFocus(next);
    table.current?.querySelector<HTMLElement>(`[data-cell="${next.weekday}-${next.hour}"]`)?.focus();
  };
  return (
    <div className="overflow-x-auto rounded-card bg-surface shadow-card">
      <table ref={table} data-slot="slot-grid" className="w-full min-w-[330px] table-fixed border-collapse">
        <caption className="sr-only">Slots by weekday and hour. Press a cell to add or remove a slot.</caption>
        <thead>
          <tr>
            <th scope="col" className="w-14">
              <span className="sr-only">Hour</span>
            </th>
            {WEEKDAYS.map((weekday) => (
              <th key={weekday} scope="col" className="py-2 text-xs font-medium text-ink-3">
                <span aria-hidden="true">{WEEKDAY_LABELS[weekday].slice(0, 3)}</span>
                <span className="sr-only">{WEEKDAY_LABELS[weekday]}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={onKeyDown}>
          {HOURS.map((hour) => (
            <tr key={hour}>
              <th scope="row" className="num border border-line pr-2 text-right text-xs font-normal text-ink-3">
                {hourLabel(hour)}
              </th>
              {WEEKDAYS.map((weekday) => (
                <SlotCell
                  key={weekday}
                  weekday={weekday}
                  hour={hour}
                  slots={slots}
                  isFocus={focus.weekday === weekday && focus.hour === hour}
                  onFocus={() => setFocus({ weekday, hour })}
                  onToggle={onToggle}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const EVERY_DAY = "all";

/** Adds a slot at an exact time, on one weekday or all. */
function AddSlot({ onAdd }: { onAdd: (slots: PostingSlot[]) => void }) {
  const [day, setDay] = useState(EVERY_DAY);
  const [time, setTime] = useState("20:00");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!/^\d{2}:\d{2}$/.test(time)) return;
    const days = day === EVERY_DAY ? [...WEEKDAYS] : [Number(day)];
    onAdd(days.map((weekday) => ({ weekday, minute: minuteOfTime(time) })));
  };
  return (
    <form onSubmit={submit} aria-label="Add a slot" className="flex flex-wrap items-end gap-3">
      <SelectField label="Day" value={day} onChange={({ target }) => setDay(target.value)} fieldClassName="w-40">
        <option value={EVERY_DAY}>Every day</option>
        {WEEKDAYS.map((weekday) => (
          <option key={weekday} value={weekday}>
            {WEEKDAY_LABELS[weekday]}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Time"
        type="time"
        required
        value={time}
        onChange={({ target }) => setTime(target.value)}
        fieldClassName="w-36"
      />
      <Button type="submit">Add</Button>
    </form>
  );
}

function SlotList({ slots, onToggle }: GridProps) {
  if (slots.length === 0)
    return <p className="text-ink-3">No slots yet. Press a cell below, add a time, or let us suggest some.</p>;
  return (
    <ul className="grid gap-1.5" aria-label="Slots">
      {WEEKDAYS.map((weekday) => {
        const own = slots.filter((slot) => slot.weekday === weekday);
        return own.length === 0 ? null : (
          <li key={weekday} className="flex flex-wrap items-center gap-2">
            <span className="w-24 text-sm text-ink-3">{WEEKDAY_LABELS[weekday]}</span>
            {own.map((slot) => (
              <button
                key={slot.minute}
                type="button"
                className="num inline-flex min-h-8 items-center gap-1.5 rounded-full bg-well px-3 text-sm hover:bg-hover max-md:min-h-11"
                aria-label={`Remove ${WEEKDAY_LABELS[weekday]}, ${slotTime(slot.minute)}`}
                onClick={() => {
                  onToggle(slot);
                  document
                    .querySelector<HTMLElement>(`[data-cell="${weekday}-${Math.floor(slot.minute / 60)}"]`)
                    ?.focus({ preventScroll: true });
                }}
              >
                {slotTime(slot.minute)}
                <X aria-hidden="true" size={13} />
              </button>
            ))}
          </li>
        );
      })}
    </ul>
  );
}

const useSlots = (accountId: string, initial: readonly PostingSlot[]) => {
  const notice = useNotice();
  const [saved, setSaved] = useState(initial);
  const [slots, setSlots, isSaved] = useUnsaved(`slots ${accountId}`, saved);
  const [isSaving, setSaving] = useState(false);
  const toggle = (slot: PostingSlot) =>
    setSlots((before) =>
      before.some((one) => sameSlot(one, slot))
        ? before.filter((one) => !sameSlot(one, slot))
        : [...before, slot].toSorted(order),
    );
  const add = (more: readonly PostingSlot[]) =>
    setSlots((before) =>
      [...before, ...more.filter((slot) => !before.some((one) => sameSlot(one, slot)))].toSorted(order),
    );
  const save = async () => {
    setSaving(true);
    const result = await callAction(saveSlotsAction({ accountId, slots: [...slots] }));
    setSaving(false);
    if (!result.ok) return notice.error(result.text);
    setSaved(result.value);
    // What was changed meanwhile isn't saved yet.
    setSlots((now) => (now === slots ? result.value : now));
    showToast("Slots saved", { hasCheck: true });
  };
  const suggest = async (timeZone: string) => {
    const result = await callAction(suggestSlotsAction({ accountId, timeZone }));
    if (!result.ok) return notice.error(result.text);
    const before = slots;
    setSlots(result.value.slots);
    const source = result.value.isFromResults
      ? "Times with clearly better results for this account come first. The others are common lunchtime and evening times."
      : "Your results don't show a clear best time yet, so these are common lunchtime and evening times.";
    showToast(source, { onUndo: () => setSlots(before), durationMs: 12_000 });
  };
  return { slots, isSaved, isSaving, toggle, add, save, suggest };
};

type SlotsScreenProps = {
  account: AccountOption;
  initial: readonly PostingSlot[];
  userTimeZone: string;
  /** Days that the calendar is to be filled on. */
  fillDays?: DayRange | null;
};

/** The weekly posting slots and the time zone of an account. */
export function SlotsScreen({ account: first, initial, userTimeZone, fillDays = null }: SlotsScreenProps) {
  const [account, setAccount] = useState(first);
  const userZone = useTimeZone(userTimeZone);
  const { slots, isSaved, isSaving, toggle, add, save, suggest } = useSlots(account.id, initial);
  return (
    <>
      <Link
        className="link mb-4 inline-flex items-center gap-1 text-sm"
        href={calendarUrl(account.id, { days: fillDays })}
      >
        <ChevronLeft aria-hidden="true" size={15} />
        Calendar
      </Link>
      <PageHeader title="Posting slots">
        Weekly times that suit {account.username}. Nothing is scheduled until you use “Fill free slots” in the calendar.
      </PageHeader>
      <div className="grid gap-7">
        <ZoneField account={account} userZone={userZone} onSaved={(timeZone) => setAccount({ ...account, timeZone })} />
        <section aria-label="Slots of the week" className="grid gap-5">
          <SlotList slots={slots} onToggle={toggle} />
          <div className="flex flex-wrap items-end justify-between gap-4">
            <AddSlot onAdd={add} />
            <Button onClick={() => void suggest(account.timeZone ?? userZone)}>Suggest times</Button>
          </div>
          <SlotGrid slots={slots} onToggle={toggle} />
        </section>
        <div className="sticky bottom-0 z-(--z-bar) flex items-center gap-4 bg-page py-3">
          <Button variant="primary" isBusy={isSaving} disabled={isSaved} onClick={() => void save()}>
            Save slots
          </Button>
          <p role="status" className="text-sm text-ink-3">
            {isSaved ? "" : "You have unsaved changes."}
          </p>
        </div>
      </div>
    </>
  );
}
